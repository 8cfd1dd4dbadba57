//! Uses enough of the standard library to have generics, closures, enumerations with data and trait objects in its debugging information.
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::mpsc;

pub enum Shape {
    Nothing,
    Circle(f64),
    Rectangle { width: u32, height: u32 },
    Named(String, Box<Shape>),
}

pub trait Area {
    fn area(&self) -> f64;
}

impl Area for Shape {
    fn area(&self) -> f64 {
        match self {
            Shape::Nothing => 0.0,
            Shape::Circle(radius) => radius * radius * 3.14,
            Shape::Rectangle { width, height } => f64::from(*width) * f64::from(*height),
            Shape::Named(_, shape) => shape.area(),
        }
    }
}

/// What each of the shapes covers, by name, as several containers and threads find it.
#[unsafe(no_mangle)]
pub extern "C" fn areas(count: u32) -> f64 {
    let shapes: Vec<Rc<dyn Area>> = (0..count)
        .map(|n| match n % 4 {
            0 => Rc::new(Shape::Nothing) as Rc<dyn Area>,
            1 => Rc::new(Shape::Circle(f64::from(n))),
            2 => Rc::new(Shape::Rectangle { width: n, height: 2 }),
            _ => Rc::new(Shape::Named(format!("shape {n}"), Box::new(Shape::Circle(1.0)))),
        })
        .collect();
    let hashed: HashMap<u32, f64> = shapes.iter().enumerate().map(|(at, shape)| (at as u32, shape.area())).collect();
    let ordered: BTreeMap<u32, Option<f64>> = hashed.iter().map(|(&at, &area)| (at, Some(area))).collect();
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::spawn(move || ordered.values().flatten().for_each(|&area| sender.send(area).unwrap()));
    let total: f64 = receiver.iter().sum();
    worker.join().map(|()| total).unwrap_or_default()
}
