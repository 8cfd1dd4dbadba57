//! The boundary every exported function crosses: a panic ends here and becomes the error value of the function's return type.
//!
//! A panic must not unwind into C (the process would abort), and worker threads do not pass here: they have their own boundary.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// What a function of this return type gives back when it cannot do its work.
pub trait ErrorValue {
    const ERROR: Self;
}

impl ErrorValue for () {
    const ERROR: Self = ();
}

impl ErrorValue for bool {
    const ERROR: Self = false;
}

impl ErrorValue for c_int {
    const ERROR: Self = -1;
}

impl<T> ErrorValue for *const T {
    const ERROR: Self = ptr::null();
}

impl<T> ErrorValue for *mut T {
    const ERROR: Self = ptr::null_mut();
}

macro_rules! zero_on_error {
    ($($ty:ty)*) => {$(
        impl ErrorValue for $ty {
            const ERROR: Self = 0;
        }
    )*};
}

zero_on_error! { u8 u16 u32 u64 usize }

/// Runs the body of an exported function.
#[inline]
pub fn entry<R: ErrorValue>(body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(R::ERROR)
}

/// Returns the error value of the surrounding body when one of the pointers is NULL.
macro_rules! non_null {
    ($($ptr:expr),+ $(,)?) => {
        $(if $ptr.is_null() {
            return $crate::capi::entry::ErrorValue::ERROR;
        })+
    };
}
pub(crate) use non_null;

#[cfg(test)]
mod tests {
    use super::*;

    fn panics<R: ErrorValue>() -> R {
        entry(|| panic!("on purpose"))
    }

    #[test]
    fn a_panic_becomes_the_error_value() {
        assert_eq!(panics::<c_int>(), -1);
        assert_eq!(panics::<usize>(), 0);
        assert!(!panics::<bool>());
        assert!(panics::<*mut u8>().is_null());
    }

    #[test]
    fn null_ends_the_body() {
        let length = |s: *const u8| {
            entry(|| {
                non_null!(s);
                7_u32
            })
        };
        assert_eq!(length(ptr::null()), 0);
        assert_eq!(length(&1), 7);
    }
}
