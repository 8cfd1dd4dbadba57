class base { public: virtual ~base(); virtual int id() const { return v; } static int count; protected: int v; }; base::~base() {} int base::count;
class derived : public base { public: int id() const override { return v + extra; } private: int extra; friend int look(const derived &); }; int look(const derived &d) { return d.extra; }
derived dv; int base::*pm = nullptr; int (base::*pf)() const = nullptr; int &&fwd(int &&x) { return static_cast<int &&>(x); }
