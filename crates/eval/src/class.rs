//! Classes of topics: how far the words of a task overlap with the files that answer it.
//!
//! Retrieval by words does well where the task names the file and fails where task and code use
//! different words. A mean over both hides which of them a change helped, so figures are also given
//! per class. The caller brings the terms, made by the analyzer of its index: this crate has none.

use std::collections::BTreeSet;

use crate::topic::Class;

/// The terms that decide a topic's class. All three come from the same analyzer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicTerms {
    /// Terms of the task, without stop words.
    pub task: BTreeSet<String>,
    /// Terms of the paths of the relevant files and of the symbols defined there.
    pub names: BTreeSet<String>,
    /// Terms of the whole text of the relevant files.
    pub text: BTreeSet<String>,
}

/// The class of a topic. A task without any term is a [`Class::Mismatch`].
pub fn classify(terms: &TopicTerms) -> Class {
    if !terms.task.is_disjoint(&terms.names) {
        Class::Named
    } else if !terms.task.is_disjoint(&terms.text) {
        Class::Text
    } else {
        Class::Mismatch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(task: &str, names: &str, text: &str, expected: Class) {
        let set = |words: &str| words.split_whitespace().map(str::to_owned).collect();
        let terms = TopicTerms { task: set(task), names: set(names), text: set(text) };
        assert_eq!(classify(&terms), expected);
    }

    #[test]
    fn a_term_of_a_name_decides_before_one_of_the_text() {
        check("fix token expiry", "token store", "fix expiry", Class::Named);
    }

    #[test]
    fn a_term_found_in_the_text_only() {
        check("limit requests", "throttle", "requests per second", Class::Text);
    }

    #[test]
    fn no_term_in_common() {
        check("rate limit", "throttle", "delay queue", Class::Mismatch);
        check("", "throttle", "delay", Class::Mismatch);
    }
}
