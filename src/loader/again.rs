//! Units of a file, taken in by a profile that they were not loaded for.

use super::dwarf::{FileContext, Host, LoadError, Profile, UnitFacts, decode_one, left_out, next_header, refer_to_types};
use super::plan::Plan;
use super::queue::Steal;
use super::whole::{self, AllUnits};
use parking_lot::Mutex;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The one unit that is asked for, whose object the host has already.
struct Known<Handle, Product> {
    handle: Mutex<Option<Handle>>,
    product: PhantomData<fn() -> Product>,
}

impl<Handle: Send + Default, Product: Send> Host for Known<Handle, Product> {
    type Handle = Handle;
    type Product = Product;

    fn create(&self, _: &Arc<FileContext>, _: &UnitFacts<'_>) -> Handle {
        self.handle.lock().take().unwrap_or_default()
    }

    fn wants(&self, _: &Handle) -> bool {
        true
    }

    fn wants_part(&self, _: &UnitFacts<'_>) -> bool {
        true
    }

    fn steal(&self, _: Handle, _: Product, _: &[String]) -> Steal {
        Steal::Stop
    }

    fn keep(&self, _: Handle) {}

    fn discard(&self, _: Handle) {}

    /// It was said when the file was loaded.
    fn message(&self, _: &str) {}
}

/// Takes in the unit with an id, as [`super::dwarf::load`] counts them in files whose units do not refer to each other, be its entries in the
/// file or in one of their own. Returns the product, and texts for the user; `None` when there is no such unit.
pub fn take_in<Handle: Send + Default, P: Profile<Handle>>(
    profile: &P,
    context: &Arc<FileContext>,
    id: u32,
    handle: Handle,
) -> Option<(P::Product, Vec<String>)> {
    let (mut offset, mut left) = (0, id);
    loop {
        let header = next_header(&|_| {}, &context.dwarf, &mut offset)?;
        if header.is_type_unit() {
            continue;
        }
        if left == 0 {
            let host = Known { handle: Mutex::new(Some(handle)), product: PhantomData };
            return Some(decode_one(&host, profile, context, id, header));
        }
        left -= 1;
    }
}

/// Takes in the units of a plan as one unit.
pub fn take_in_merged<Handle, P: Profile<Handle>>(
    profile: &P,
    context: &FileContext,
    plan: &Plan,
    mut handle: Handle,
) -> Result<P::Product, LoadError> {
    let mut product = profile.empty();
    whole::build_merged(&|_| {}, profile, context, plan, &mut handle, &mut product)?;
    Ok(product)
}

/// A file that was loaded by the tag profile.
pub struct Printed {
    pub context: Arc<FileContext>,
    /// Where units refer to type units.
    types: OnceLock<AllUnits>,
    has_types: bool,
}

/// How a unit of such a file is to be encoded.
pub enum Taken<Product> {
    Unit(Product, Vec<String>),
    /// It is all units of the plan.
    Merged(Arc<Plan>),
}

impl Printed {
    pub fn new(context: Arc<FileContext>) -> Result<Printed, LoadError> {
        let has_types = context.plan.get().is_none() && refer_to_types(&context)?;
        Ok(Printed { context, types: OnceLock::new(), has_types })
    }

    /// The unit with an id; `nameless` when it has no name, as that of all type units has none. `None` when there is no such unit.
    pub fn take_in<P: Profile<()>>(&self, profile: &P, id: u32, nameless: bool) -> Result<Option<Taken<P::Product>>, LoadError> {
        if let Some(plan) = self.context.plan.get() {
            return Ok(Some(Taken::Merged(plan.clone())));
        }
        if !self.has_types {
            let taken = take_in(profile, &self.context, id, ());
            return Ok(taken.map(|(product, messages)| Taken::Unit(product, messages)));
        }
        let file = &*self.context.dwarf;
        let all = match self.types.get() {
            Some(all) => all,
            None => {
                let all = AllUnits::read(&|_| {}, profile, file)?;
                self.types.get_or_init(|| all)
            }
        };
        let is_types = nameless && id == 0;
        let Some(wanted) = all.needed(file, (!is_types).then_some(id))? else { return Ok(None) };
        let (mut product, mut messages) = (profile.empty(), Vec::new());
        if let Err(e) = all.build(profile, file, &wanted, &mut (), &mut product, &mut messages) {
            let offset = wanted.first().map_or(0, |&unit| all.offset(unit));
            messages.push(left_out(file, offset, &e));
        }
        Ok(Some(Taken::Unit(product, messages)))
    }
}
