//! A program that shows a difference: without what it does not need for that, as text.

use super::{Unit, reorder};
use crate::btf::Btf;
use std::fmt::Write as _;

/// Takes away what is not needed for the difference.
pub(super) fn reduced(units: &[Unit], differs: impl Fn(&[Unit]) -> bool) -> Vec<Unit> {
    let mut best = units.to_vec();
    loop {
        let before = best.clone();
        let attempt = |candidate: Vec<Unit>, best: &mut Vec<Unit>| {
            if differs(&candidate) {
                *best = candidate;
                true
            } else {
                false
            }
        };
        let mut u = 0;
        while u < best.len() {
            let mut candidate = best.clone();
            candidate.remove(u);
            if attempt(candidate, &mut best) {
                continue;
            }
            let mut at = best[u].len();
            while at > 0 {
                at -= 1;
                let mut candidate = best.clone();
                let order: Vec<usize> = (0..best[u].len()).filter(|&i| i != at).collect();
                reorder(&mut candidate[u], &order);
                if attempt(candidate, &mut best) {
                    continue;
                }
                for part in (0..best[u][at].parts.len()).rev() {
                    let mut candidate = best.clone();
                    candidate[u][at].parts.remove(part);
                    if attempt(candidate, &mut best) {
                        continue;
                    }
                    let mut candidate = best.clone();
                    candidate[u][at].parts[part].of = 0;
                    if best[u][at].parts[part].of != 0 && attempt(candidate, &mut best) {
                        continue;
                    }
                    // Past what only leads on.
                    let of = best[u][at].parts[part].of;
                    if of != 0 && best[u][of as usize - 1].parts.len() == 1 {
                        let mut candidate = best.clone();
                        candidate[u][at].parts[part].of = best[u][of as usize - 1].parts[0].of;
                        attempt(candidate, &mut best);
                    }
                }
            }
            u += 1;
        }
        if best == before {
            return best;
        }
    }
}

pub(super) fn shown(units: &[Unit]) -> String {
    let mut out = String::new();
    for (i, unit) in units.iter().enumerate() {
        let _ = writeln!(out, "unit {}", i + 1);
        for (at, made) in unit.iter().enumerate() {
            let _ = write!(out, "  {} {:?} {:?} {}", at + 1, made.kind, made.name, made.size);
            for part in &made.parts {
                let _ = write!(out, "  {:?} {} @{}", part.name, part.of, part.place);
            }
            out.push('\n');
        }
    }
    out
}

pub(super) fn dump(btf: &Btf) -> String {
    let mut out = String::new();
    for (id, t) in btf.own_types() {
        let _ = writeln!(out, "  {} {:?} {:?} {:?}", id.0, t.kind(), String::from_utf8_lossy(btf.name(id)), &t.words()[2..]);
    }
    out
}
