pub enum Shape { Circle(f32), Rect { w: u8, h: u64 }, Unit }
pub struct Holder { a: u8, s: Shape, c: u16 }
pub struct Opaque { data: *const (), size: usize }
#[no_mangle]
pub fn size(o: &Opaque) -> usize { o.size + (o.data as usize) }
#[no_mangle]
pub fn area(h: &Holder) -> u64 {
    match &h.s {
        Shape::Circle(r) => *r as u64,
        Shape::Rect { w, h } => *w as u64 * *h,
        Shape::Unit => h.c as u64 + h.a as u64,
    }
}
