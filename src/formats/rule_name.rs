use crate::rules::Rule;

/// Words that tell a rule, in the order in which they are looked for. Most opening rules are renju's
/// alone; `swap` and `pro` go with any rule and tell nothing.
const WORDS: [(&str, Rule); 13] = [
    ("renju", Rule::Renju),
    ("yamaguchi", Rule::Renju),
    ("soosorv", Rule::Renju),
    ("soosyrv", Rule::Renju),
    ("soosõrv", Rule::Renju),
    ("tarannikov", Rule::Renju),
    ("taraguchi", Rule::Renju),
    ("sakata", Rule::Renju),
    ("rif", Rule::Renju),
    ("freestyle", Rule::Freestyle),
    ("free style", Rule::Freestyle),
    ("standard", Rule::Standard),
    ("caro", Rule::Caro),
];

/// The rule that a name means, as other programs write it: in any case, among other words, or by the
/// opening rule. Absent where the name leaves it open.
pub(super) fn rule_named(name: &str) -> Option<Rule> {
    // No name is longer; a longer text is no name.
    let name: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
    WORDS
        .into_iter()
        .find(|(word, _)| name.contains(word))
        .map(|(_, rule)| rule)
}

/// The rule of a number, as Gomocup's managers write it. (8, caro in which overlines win, is not supported.)
pub(super) fn rule_numbered(number: &str) -> Option<Rule> {
    match number.trim() {
        "0" => Some(Rule::Freestyle),
        "1" => Some(Rule::Standard),
        "4" => Some(Rule::Renju),
        "9" => Some(Rule::Caro),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_known_by_their_names_and_by_openings() {
        for rule in Rule::ALL {
            assert_eq!(rule_named(rule.name()), Some(rule));
            assert_eq!(rule_named(&rule.name().to_uppercase()), Some(rule));
        }
        assert_eq!(rule_named("Taraguchi-10"), Some(Rule::Renju));
        assert_eq!(rule_named("RIF"), Some(Rule::Renju));
        assert_eq!(rule_named("Soosõrv-8"), Some(Rule::Renju));
        assert_eq!(rule_named("Gomocup Freestyle 20"), Some(Rule::Freestyle));
        assert_eq!(rule_numbered("4"), Some(Rule::Renju));
        assert_eq!(rule_numbered("8"), None);
        assert_eq!(rule_named("swap2"), None);
        assert_eq!(rule_named(""), None);
    }
}
