//! What is in a function: variables, labels, expanded functions and blocks in blocks.

use super::conf::Conf;
use super::facts::{self, NULL_TEXT};
use super::text::{Hex, MAX_INDENT};
use super::{NAME_ROOM, Printer};
use crate::abi::{Cu, Function, InlineExpansion, Label, Lexblock, ListHead, Nodes, Tag, Variable, dw_tag};

/// C's buffer for the name of a variable's type here, in bytes with the NUL.
const VARIABLE_ROOM: usize = NAME_ROOM * 4;

/// The column of the line numbers.
const LINE_COLUMN: i32 = 70;

/// Where the name of a label is looked for; not in [`dw_tag`], which has types.
const LABEL: u16 = 0x0a;

/// A block that is being printed.
struct Open {
    block: *const Lexblock,
    rest: Nodes,
    indent: i32,
}

impl Printer {
    /// A block with all blocks in it, which may be nested to any depth.
    pub(super) unsafe fn block(&mut self, block: *const Lexblock, function: *mut Function, indent: u16, conf: &Conf) {
        // SAFETY: a block of a function of this unit.
        unsafe {
            let mut open = vec![self.open_block(block, function, i32::from(indent))];
            while let Some(innermost) = open.last_mut() {
                let inner_indent = clamp(innermost.indent + 1);
                match innermost.rest.next() {
                    Some(node) if (*node.cast::<Tag>()).tag == dw_tag::LEXICAL_BLOCK => {
                        open.push(self.open_block(node.cast(), function, inner_indent));
                    }
                    Some(node) => self.line_of_block(node.cast(), inner_indent, conf),
                    None => {
                        let (block, indent) = (innermost.block, innermost.indent);
                        self.close_block(block, function, indent);
                        open.pop();
                        if !open.is_empty() {
                            self.out.put(b"\n");
                        }
                    }
                }
            }
        }
    }

    unsafe fn open_block(&mut self, block: *const Lexblock, function: *const Function, indent: i32) -> Open {
        // SAFETY: as above.
        unsafe {
            let indent = clamp(indent);
            self.out.indent(indent);
            self.out.put(b"{");
            let address = (*block).ip.addr;
            let base = function.as_ref().map_or(0, |function| function.lexblock.ip.addr);
            if address != 0 && address == base {
                self.out.fmt(format_args!(" /* low_pc={} */", Hex(address)));
            } else if address != 0 {
                self.out.put(b" /* ");
                self.out.put(function.as_ref().and_then(|function| facts::string(function.name)).unwrap_or(NULL_TEXT));
                self.out.fmt(format_args!("+{} */", Hex(address.wrapping_sub(base))));
            }
            self.out.put(b"\n");
            Open { block, rest: ListHead::nodes(&raw const (*block).tags), indent }
        }
    }

    unsafe fn close_block(&mut self, block: *const Lexblock, function: *const Function, indent: i32) {
        // SAFETY: as above.
        unsafe {
            self.out.indent(indent);
            self.out.put(b"}");
            if function.as_ref().is_some_and(|function| function.lexblock.ip.addr != (*block).ip.addr) {
                self.out.fmt(format_args!(" /* lexblock size={} */", (*block).size as i32));
            }
        }
    }

    /// One line about what is in a block, with the source line at its end.
    unsafe fn line_of_block(&mut self, tag: *mut Tag, indent: i32, conf: &Conf) {
        // SAFETY: a tag in a block of this unit; its kind says what it is part of.
        unsafe {
            self.out.indent(indent);
            let start = self.out.len();
            let mut column = indent * 8;
            match (*tag).tag {
                dw_tag::INLINED_SUBROUTINE if facts::function_of(self.cu, (*tag).r#type).is_null() => {
                    self.out.split_off(start - indent as usize);
                    self.not_found((*tag).r#type, "function__tag_fprintf", line!());
                }
                dw_tag::INLINED_SUBROUTINE => {
                    self.expansion(tag.cast(), indent, conf);
                    column = LINE_COLUMN - 1;
                }
                dw_tag::VARIABLE => {
                    self.variable_line(tag.cast());
                    column += (self.out.len() - start) as i32;
                }
                LABEL => {
                    self.out.put(b"\n");
                    let from = self.out.len();
                    self.out.put(facts::string((*tag.cast::<Label>()).name).unwrap_or(NULL_TEXT));
                    self.out.put(b":");
                    column = (self.out.len() - from) as i32;
                }
                kind => {
                    self.out.put(facts::kind_name(kind));
                    self.out.fmt(format_args!(" <{:x}>", facts::declared(tag, self.cu).id));
                    column += (self.out.len() - start) as i32;
                }
            }
            let room = LINE_COLUMN - column;
            if room != 0 {
                self.out.left(b" ", room);
            }
            self.out.fmt(format_args!("// {:>5}\n", facts::declared_line(tag, self.cu)));
        }
    }

    unsafe fn expansion(&mut self, expansion: *const InlineExpansion, indent: i32, conf: &Conf) {
        // SAFETY: an expansion in this unit, of a function that is there.
        unsafe {
            let callee = facts::function_of(self.cu, (*expansion).ip.tag.r#type);
            let name = facts::string((*callee).name);
            self.out.put(name.unwrap_or(NULL_TEXT));
            let width = name.map_or(0, |name| name.len().div_ceil(8) as i32);
            self.parameters(&raw const (*callee).proto, indent + width, conf);
            let (size, address) = ((*expansion).size as isize, (*expansion).ip.addr);
            self.out.fmt(format_args!("; /* size={size}, low_pc={} */", Hex(address)));
        }
    }

    unsafe fn variable_line(&mut self, variable: *const Variable) {
        // SAFETY: a variable of this unit.
        unsafe {
            let ty = Cu::type_of(self.cu, (*variable).ip.tag.r#type);
            if ty.is_null() {
                self.out.put(NULL_TEXT);
            } else {
                self.name(ty, VARIABLE_ROOM, &Conf::standard());
            }
            self.out.put(b" ");
            self.out.put(facts::string((*variable).name).unwrap_or(NULL_TEXT));
            self.out.put(b"; /* scope: ");
            self.out.put(facts::scope(variable));
            self.out.put(b" */");
        }
    }

    /// A function's block, then its size and what it contains.
    pub(super) unsafe fn function_stats(&mut self, function: *mut Function, conf: &Conf) {
        // SAFETY: a function of this unit.
        unsafe {
            let block = &raw const (*function).lexblock;
            self.block(block, function, 0, conf);
            let block = &*block;
            self.out.fmt(format_args!("/* size: {}", block.size as i32));
            if block.nr_variables > 0 {
                self.out.fmt(format_args!(", variables: {}", block.nr_variables));
            }
            if block.nr_labels > 0 {
                self.out.fmt(format_args!(", goto labels: {}", block.nr_labels));
            }
            if block.nr_inline_expansions > 0 {
                let (count, size) = (block.nr_inline_expansions, block.size_inline_expansions as i32);
                self.out.fmt(format_args!(", inline expansions: {count} ({size} bytes)"));
            }
            self.out.put(b" */\n");
        }
    }
}

/// Past the last tab C does not count further, except by one.
fn clamp(indent: i32) -> i32 {
    indent.min(MAX_INDENT)
}
