struct base { int x; int function(int); };
struct object {
	int base::*data;
	int (base::*function)(int);
	int base::*several[3];
	char last;
};
typedef int (base::*function_t)(int);
object o;
function_t f;
