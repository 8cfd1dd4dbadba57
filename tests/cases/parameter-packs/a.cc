int given(int, ...);
template <typename... Types> inline int count(Types... values) { return given(sizeof...(values), values...) + 1; }
int (*pointer)(int, char) = count<int, char>;
int user(int first, char second) { return count(first, second); }
