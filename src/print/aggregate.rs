//! Unions.

use super::Printer;
use super::conf::Conf;
use super::facts;
use super::text::MAX_INDENT;
use crate::abi::{Cu, Type};

impl Printer {
    /// A union's definition. Nested types are not shown in unions, nor are statistics.
    pub(super) unsafe fn union(&mut self, ty: *mut Type, conf: &Conf) {
        // SAFETY: a union of this unit.
        unsafe {
            let mut own_lines = 0;
            let indent = i32::from(conf.indent).min(MAX_INDENT);
            if let Some(lead) = conf.lead {
                self.out.put(lead);
                self.out.put(b" ");
            }
            self.out.put(b"union");
            if let Some(name) = facts::type_name(ty) {
                self.out.put(b" ");
                self.out.put(name);
            }
            if !self.may_open(ty.cast()) {
                return self.out.put(b" { /* nested too deep to be shown */ }");
            }
            self.depth += 1;
            self.open.push(ty.cast());
            self.opened += 1;
            self.out.put(b" {\n");

            let mut inner = *conf;
            inner.indent = indent as u8 + 1;
            inner.set_union_member(true);
            facts::union__infer_packed_attributes(ty, self.cu);
            if inner.cachelinep.is_null() {
                inner.cachelinep = &raw mut own_lines;
            }
            // Every member starts in the same line.
            let first_line = *inner.cachelinep;
            for member in Type::members(ty) {
                self.out.indent(inner.indent.into());
                let member_type = Cu::type_of(self.cu, (*member).tag.r#type);
                if member_type.is_null() {
                    self.not_found((*member).tag.r#type, "union__fprintf", line!());
                    continue;
                }
                self.member(member, true, member_type, &inner);
                self.out.put(b"\n");
                *inner.cachelinep = first_line;
            }
            self.out.indent(indent);
            self.out.put(b"}");
            if let Some(tail) = conf.tail {
                self.out.put(b" ");
                self.out.put(tail);
            }
            self.open.pop();
            self.depth -= 1;
        }
    }
}
