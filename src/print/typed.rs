//! A type with the name of what has it: members, variables, elements, parameters of unusual shape.

use super::conf::Conf;
use super::facts;
use super::name::is_pointing;
use super::{MAX_CHAIN, NAME_ROOM, Printer};
use crate::abi::{ArrayType, Cu, StringType, Tag, Type, dw_tag};

/// C's buffer for a name behind a pointer to a nameless struct, in bytes with the NUL.
const POINTED_ROOM: usize = 258;
/// C's buffer for a name with the stars of expanded pointers.
const STARRED_ROOM: usize = 256;

impl Printer {
    /// Prints a type with a name; how many bytes that counts for in a line's layout.
    ///
    /// Without a name, the type must be an aggregate or the name does not matter.
    pub(super) unsafe fn typed(&mut self, ty: *mut Tag, name: Option<&[u8]>, conf: &Conf) -> usize {
        // SAFETY: NULL or a type of this unit.
        unsafe {
            if ty.is_null() {
                return self.type_not_found(name, conf.type_spacing);
            }
            if let Some((target, declarator)) = self.unfold(ty, name.unwrap_or(b"")) {
                return self.typed(target, Some(&declarator), &self.behind(target, conf));
            }
            if conf.expand_pointers() { self.behind_pointers(ty, name, conf) } else { self.unpointed(ty, name, conf, None) }
        }
    }

    /// How to print what a pointer points at.
    unsafe fn behind<'a>(&self, target: *const Tag, conf: &Conf<'a>) -> Conf<'a> {
        let mut conf = *conf;
        // SAFETY: a type of this unit.
        if unsafe { (*self.unqualified(target)).tag } == dw_tag::ARRAY_TYPE && !conf.expand_pointers() {
            // What the elements are is behind a pointer, too.
            conf.set_expand_types(false);
        }
        conf
    }

    /// C's declarators grow around the name: what a pointer or reference points at decides what stands on the other side of it.
    ///
    /// The C library writes the type's name in front and the name behind, whatever the type is. Where that loses an array's
    /// elements, or puts them behind a parameter list, this gives the type to print in front and the declarator to print as name.
    /// Pointers to tables of virtual functions, which nobody declares, keep the text that every C++ class has had.
    unsafe fn unfold(&mut self, ty: *const Tag, name: &[u8]) -> Option<(*mut Tag, Vec<u8>)> {
        // SAFETY: a type of this unit.
        unsafe {
            if !is_pointing((*ty).tag) || name.starts_with(b"_vptr") {
                return None;
            }
            let target = Cu::type_of(self.cu, self.skip_annotations((*ty).r#type));
            let inner = self.unqualified(target);
            let in_parentheses = match inner.as_ref()?.tag {
                dw_tag::ARRAY_TYPE => true,
                // Simple pointers to functions are a type of their own below, and a function's name is in parentheses anyway.
                dw_tag::SUBROUTINE_TYPE if !(*ty).is_pointer() || inner != target => false,
                kind if is_pointing(kind) && self.declares_around(target, (*ty).is_pointer()) => false,
                _ => return None,
            };
            let mark = self.mark(ty);
            let declarator = if in_parentheses { [b"(", &mark[..], name, b")"].concat() } else { [&mark[..], name].concat() };
            Some((target, declarator))
        }
    }

    /// Whether the name belongs inside of the type's text: pointers and references that end at an array or a function, and arrays themselves,
    /// whatever qualifiers stand in between. With `nameless`, also pointers to aggregates that are defined in place.
    pub(super) unsafe fn declares_around(&self, ty: *const Tag, nameless: bool) -> bool {
        // SAFETY: NULL or a type of this unit.
        unsafe {
            let mut at = ty;
            let mut pointed = false;
            for _ in 0..MAX_CHAIN {
                match at.as_ref() {
                    Some(tag) if tag.tag == dw_tag::ARRAY_TYPE => return true,
                    Some(tag) if tag.tag == dw_tag::SUBROUTINE_TYPE => return pointed,
                    Some(tag) if is_pointing(tag.tag) => pointed = true,
                    Some(tag) if tag.is_modifier() || facts::is_annotation(tag) => {}
                    Some(_) => return nameless && pointed && facts::is_nameless_aggregate(at),
                    None => return false,
                }
                at = Cu::type_of(self.cu, (*at).r#type);
            }
            false
        }
    }

    /// Whether what a qualifier stands before cannot be printed as a name alone: the name belongs inside of its text, or it is defined in place.
    pub(super) unsafe fn is_more_than_a_name(&self, target: *const Tag) -> bool {
        // SAFETY: NULL or a type of this unit.
        unsafe {
            let inner = self.unqualified(target);
            inner.as_ref().is_some_and(|tag| tag.tag == dw_tag::SUBROUTINE_TYPE || facts::is_nameless_aggregate(inner))
                || self.declares_around(inner, true)
        }
    }

    /// Prints what pointers lead to, in place, the stars moved to the name.
    unsafe fn behind_pointers(&mut self, ty: *mut Tag, name: Option<&[u8]>, conf: &Conf) -> usize {
        // SAFETY: a type of this unit.
        unsafe {
            let mut at = ty;
            let mut stars = 0;
            while (*at).is_pointer() && (*at).r#type != 0 {
                let next = Cu::type_of(self.cu, (*at).r#type);
                if next.is_null() || stars >= STARRED_ROOM {
                    return self.type_not_found(name, conf.type_spacing);
                }
                let told = self.type_loop(at, next, "type__fprintf", line!());
                if told != 0 {
                    return told;
                }
                at = next;
                stars += 1;
            }
            let starred = [&b"*".repeat(stars)[..], name.unwrap_or(b"")].concat();
            if stars > 0 && starred.len() >= STARRED_ROOM {
                return self.type_not_found(name, conf.type_spacing);
            }
            let name = if stars > 0 { Some(&starred[..]) } else { name };
            // A type that is being printed already is not printed within itself.
            let expand = stars > 0 && (*at).recursivity_level == 0;
            (*at).recursivity_level = (*at).recursivity_level.wrapping_add(1);
            let printed = self.unpointed(at, name, conf, Some((expand, stars > 0)));
            (*at).recursivity_level = (*at).recursivity_level.wrapping_sub(1);
            printed
        }
    }

    /// `expanded`, when pointers were followed: whether to expand the type, and whether offsets mean nothing there.
    unsafe fn unpointed(&mut self, ty: *mut Tag, name: Option<&[u8]>, conf: &Conf, expanded: Option<(bool, bool)>) -> usize {
        // SAFETY: a type of this unit.
        unsafe {
            let (expand, pointed) = expanded.unwrap_or((conf.expand_types(), false));
            let mut ty = ty;
            let mut printed = 0;
            if expand {
                let start = self.out.len();
                match self.past_typedefs(ty) {
                    Ok(target) => ty = target,
                    Err(missing) if missing.is_null() => return self.type_not_found(name, conf.type_spacing),
                    Err(_) => return self.out.len() - start,
                }
                printed = self.out.len() - start;
            }
            self.declared(ty, name, conf, expand, conf.suppress_offset_comment() || pointed, printed)
        }
    }

    /// Names the typedefs on the way in a comment. The error is NULL when a type is missing, else where they go in a circle.
    unsafe fn past_typedefs(&mut self, ty: *mut Tag) -> Result<*mut Tag, *mut Tag> {
        // SAFETY: a type of this unit.
        unsafe {
            let mut at = ty;
            for passed in 0..MAX_CHAIN {
                if !(*at).is_typedef() {
                    if passed > 0 {
                        self.out.put(b" */ ");
                    }
                    return Ok(at);
                }
                self.out.put(if passed > 0 { b" -> " } else { b"/* typedef " });
                self.out.put(facts::type_name(at.cast::<Type>()).unwrap_or(facts::NULL_TEXT));
                let next = Cu::type_of(self.cu, (*at).r#type);
                if next.is_null() {
                    return Err(next);
                }
                if self.type_loop(at, next, "type__fprintf", line!()) != 0 {
                    return Err(at);
                }
                at = next;
            }
            Err(at)
        }
    }

    unsafe fn declared(
        &mut self,
        ty: *mut Tag,
        name: Option<&[u8]>,
        conf: &Conf,
        expand: bool,
        no_offsets: bool,
        mut printed: usize,
    ) -> usize {
        // SAFETY: a type of this unit.
        unsafe {
            // A struct behind a qualifier keeps its statistics.
            let (first, mut ty) = (ty, ty);
            let mut conf = *conf;
            for _ in 0..MAX_CHAIN {
                let unfolded = if ty == first { None } else { self.unfold(ty, name.unwrap_or(b"")) };
                if let Some((target, unfolded)) = unfolded {
                    let conf = self.behind(target, &conf);
                    return printed + self.typed(target, Some(&unfolded), &conf);
                }
                if facts::is_aggregate(&*ty) {
                    conf.lead = None;
                    conf.tail = name;
                    if ty == first {
                        conf.set_emit_stats(false);
                        conf.set_suppress_offset_comment(no_offsets);
                    }
                }
                let start = self.out.len();
                match (*ty).tag {
                    kind if is_pointing(kind) => {
                        let id = self.skip_annotations((*ty).r#type);
                        let target = Cu::type_of(self.cu, id);
                        if id != 0 {
                            if target.is_null() {
                                return self.type_not_found(name, conf.type_spacing);
                            }
                            if self.type_loop(ty, target, "type__fprintf", line!()) != 0 {
                                break;
                            }
                            if (*target).tag == dw_tag::SUBROUTINE_TYPE && (*ty).is_pointer() {
                                let spacing = conf.type_spacing;
                                return printed + self.function_type(target.cast(), name, false, true, spacing, true, &conf);
                            }
                            let inner = self.unqualified(target);
                            if (*ty).is_pointer() && !inner.is_null() && facts::is_nameless_aggregate(inner) {
                                let mut behind = [b"* ", name.unwrap_or(facts::NULL_TEXT)].concat();
                                behind.truncate(POINTED_ROOM - 1);
                                conf.set_rel_offset(true);
                                conf.type_spacing -= 8;
                                return printed + self.declared(target, Some(&behind), &conf, expand, no_offsets, 0);
                            }
                        }
                        return printed + self.plainly(ty, name, &conf);
                    }
                    dw_tag::SUBROUTINE_TYPE => {
                        let spacing = conf.type_spacing;
                        return printed + self.function_type(ty.cast(), name, false, false, spacing, true, &conf);
                    }
                    dw_tag::ATOMIC_TYPE | dw_tag::CONST_TYPE => {
                        if !conf.skip_emitting_modifier() {
                            self.out.put(if (*ty).tag == dw_tag::CONST_TYPE { b"const " } else { b"_Atomic " });
                        }
                        let modifier = self.out.len() - start;
                        printed += modifier;
                        conf.type_spacing -= modifier as i32;
                        let target = Cu::type_of(self.cu, (*ty).r#type);
                        if target.is_null() {
                            return printed + self.plainly(ty, name, &conf);
                        }
                        ty = target;
                    }
                    dw_tag::VOLATILE_TYPE | dw_tag::RESTRICT_TYPE
                        if self.is_more_than_a_name(Cu::type_of(self.cu, (*ty).r#type)) =>
                    {
                        let target = Cu::type_of(self.cu, (*ty).r#type);
                        if !conf.skip_emitting_modifier() {
                            if (*ty).tag == dw_tag::RESTRICT_TYPE {
                                // Behind the star, which is put in front of this.
                                let declarator = [b"restrict ", name.unwrap_or(b"")].concat();
                                return printed + self.typed(target, Some(&declarator), &conf);
                            }
                            self.out.put(b"volatile ");
                        }
                        let modifier = self.out.len() - start;
                        printed += modifier;
                        conf.type_spacing -= modifier as i32;
                        ty = target;
                    }
                    dw_tag::LLVM_ANNOTATION | dw_tag::GNU_ANNOTATION => {
                        let target = Cu::type_of(self.cu, (*ty).r#type);
                        if target.is_null() {
                            return self.type_not_found(name, conf.type_spacing);
                        }
                        ty = target;
                    }
                    dw_tag::ARRAY_TYPE => return printed + self.array(ty.cast(), name.unwrap_or(b""), &conf),
                    dw_tag::STRING_TYPE => {
                        let entries = (*ty.cast::<StringType>()).nr_entries;
                        self.out.put(b"string ");
                        self.out.right(name.unwrap_or(facts::NULL_TEXT), conf.type_spacing - 5);
                        self.out.fmt(format_args!("[{entries}]"));
                        return printed + self.out.len() - start;
                    }
                    dw_tag::CLASS_TYPE | dw_tag::STRUCTURE_TYPE => return printed + self.struct_named(ty, name, &conf, expand),
                    dw_tag::UNION_TYPE => return printed + self.union_named(ty.cast(), name, &conf),
                    dw_tag::ENUMERATION_TYPE => return printed + self.enumeration_named(ty.cast(), name, &conf, expand),
                    _ => return printed + self.plainly(ty, name, &conf),
                }
            }
            printed
        }
    }

    /// The type's name, then the name.
    unsafe fn plainly(&mut self, ty: *const Tag, name: Option<&[u8]>, conf: &Conf) -> usize {
        let start = self.out.len();
        // SAFETY: a type of this unit.
        unsafe { self.name(ty, NAME_ROOM, conf) };
        self.out.pad_from(start, conf.type_spacing);
        self.out.put(b" ");
        self.out.put(name.unwrap_or(facts::NULL_TEXT));
        self.out.len() - start
    }

    fn type_not_found(&mut self, name: Option<&[u8]>, width: i32) -> usize {
        let start = self.out.len();
        self.out.left(b"<ERROR", width);
        self.out.put(b"> ");
        self.out.put(name.unwrap_or(facts::NULL_TEXT));
        self.out.len() - start
    }

    unsafe fn struct_named(&mut self, ty: *mut Tag, name: Option<&[u8]>, conf: &Conf, expand: bool) -> usize {
        // SAFETY: a struct of this unit.
        unsafe {
            let start = self.out.len();
            match facts::type_name(ty.cast::<Type>()) {
                Some(own) if !(expand && self.may_open(ty)) => {
                    let class = (*ty).tag == dw_tag::CLASS_TYPE && !conf.classes_as_structs();
                    self.out.put(if class { b"class " } else { b"struct " });
                    self.out.left(own, conf.type_spacing - 7);
                    self.out.put(b" ");
                    self.out.put(name.unwrap_or(b""));
                }
                _ => {
                    if !conf.suppress_comments() {
                        facts::class__find_holes(ty.cast());
                    }
                    let mut conf = *conf;
                    conf.type_spacing -= 8;
                    self.class(ty.cast(), &conf);
                }
            }
            self.out.len() - start
        }
    }

    pub(super) unsafe fn union_named(&mut self, ty: *mut Type, name: Option<&[u8]>, conf: &Conf) -> usize {
        // SAFETY: a union of this unit.
        unsafe {
            let start = self.out.len();
            match facts::type_name(ty) {
                Some(own) if !(conf.expand_types() && self.may_open(ty.cast())) => {
                    self.out.put(b"union ");
                    self.out.left(own, conf.type_spacing - 6);
                    self.out.put(b" ");
                    self.out.put(name.unwrap_or(b""));
                }
                _ => {
                    let mut conf = *conf;
                    conf.type_spacing -= 8;
                    conf.tail = name;
                    self.union(ty, &conf);
                }
            }
            self.out.len() - start
        }
    }

    unsafe fn enumeration_named(&mut self, ty: *mut Type, name: Option<&[u8]>, conf: &Conf, expand: bool) -> usize {
        // SAFETY: an enumeration of this unit.
        unsafe {
            let start = self.out.len();
            match facts::type_name(ty) {
                Some(own) if !expand => {
                    self.out.put(b"enum ");
                    self.out.left(own, conf.type_spacing - 5);
                    self.out.put(b" ");
                    self.out.put(name.unwrap_or(b""));
                }
                _ => self.enumeration(ty, conf),
            }
            self.out.len() - start
        }
    }

    /// An array with a name; how many bytes that counts for.
    pub(super) unsafe fn array(&mut self, array: *const ArrayType, name: &[u8], conf: &Conf) -> usize {
        // SAFETY: an array of this unit.
        unsafe {
            if Cu::type_of(self.cu, (*array).tag.r#type).is_null() {
                return self.not_found((*array).tag.r#type, "array_type__fprintf", line!());
            }
            // Behind a pointer, const was written in the source.
            let element = if name.starts_with(b"(") { Cu::type_of(self.cu, (*array).tag.r#type) } else { self.element_of(array) };
            if self.too_deep() {
                return 0;
            }
            self.depth += 1;
            let start = self.out.len();
            let counted = if (*array).is_vector && name.contains(&b'(') {
                // In front, where the definition of a function takes the attributes of what it returns.
                self.vector(array);
                let attribute = self.out.split_off(start);
                self.typed(element, Some(&[&attribute[1..], b" ", name].concat()), conf)
            } else if self.declares_around(element, false) {
                // The counts belong to the name, before what stands around it.
                self.out.put(name);
                self.counts(array, conf);
                let declarator = self.out.split_off(start);
                let counted = self.typed(element, Some(&declarator), conf);
                self.vector(array);
                counted
            } else {
                let counted = self.typed(element, Some(name), conf);
                let behind = self.out.len();
                self.counts(array, conf);
                self.vector(array);
                counted + self.out.len() - behind
            };
            self.depth -= 1;
            counted
        }
    }

    /// `[2][3]`, or `[6]` with flat arrays. A last member without elements is `[]`, unless that is all there is.
    unsafe fn counts(&mut self, array: *const ArrayType, conf: &Conf) {
        // SAFETY: an array of this unit.
        unsafe {
            if (*array).is_vector {
                return;
            }
            let always = !conf.last_member() || conf.first_member() || conf.union_member();
            let mut put = |count: u64| {
                if count != 0 || always { self.out.fmt(format_args!("[{count}]")) } else { self.out.put(b"[]") }
            };
            if conf.flat_arrays() {
                put(flat_count(array));
            } else {
                ArrayType::counts(array).for_each(put);
            }
        }
    }

    unsafe fn vector(&mut self, array: *const ArrayType) {
        // SAFETY: an array of this unit.
        unsafe {
            if !(*array).is_vector {
                return;
            }
            let element = facts::tag__follow_typedef(array.cast(), self.cu);
            let size = if element.is_null() { 0 } else { facts::tag__size(element, self.cu) as u64 };
            let bytes = flat_count(array).max(1).wrapping_mul(size);
            self.out.fmt(format_args!(" __attribute__ ((__vector_size__ ({bytes})))"));
        }
    }
}

/// All dimensions multiplied; a first one of zero leaves the others out, a later one starts anew.
unsafe fn flat_count(array: *const ArrayType) -> u64 {
    // SAFETY: an array of this unit.
    let mut counts = unsafe { ArrayType::counts(array) }.peekable();
    if counts.peek() == Some(&0) {
        return 0;
    }
    counts.fold(0_u64, |flat, count| if flat == 0 { count } else { flat.wrapping_mul(count) })
}
