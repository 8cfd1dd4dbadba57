struct point { int x; long y; int sum() const { return x + (int)y; } };
struct view { point &p; const int &n; int &&moved; int point::*member; int (point::*method)() const; char last; };
extern "C" { int add(point &p, const point &q) { return p.x + q.sum(); } int take(int &&x) { return x; } long &pick(view &v) { return v.p.y; } }
int point::*pm = &point::x; int (point::*pf)() const = &point::sum; point gp; const point &gr = gp; int via(int point::*m, point *p) { return p->*m; }
