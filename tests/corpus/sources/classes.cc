class base; base *first; int second;
class base { public: virtual ~base(); virtual int id() const { return v; } static int count; protected: int v; }; base::~base() {} int base::count;
class derived : public base { public: int id() const override { return v + extra; } private: int extra; friend int look(const derived *); }; int look(const derived *d) { return d->extra; }
struct left { int l; }; struct right { long r; }; struct both : left, right { char c; int side() const { return c + (int)r; } };
derived *dv; both bv; struct empty {} ev; struct holder : empty { char c[3]; unsigned b : 3, : 2, d : 7; bool on; } hv; int part(const holder *h) { return h->b + h->d; } int total(const both *b) { return b->side(); }
