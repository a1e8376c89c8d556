//! Numbers in decimal units without rounding: a millimeter is a shift of the decimal point, done on the digits.
//!
//! `7.75656` with `unit mm` reads as exactly the number that `0.00775656` reads as, and a number written in millimeters
//! reads back bit by bit. Multiplying by 0.001 would not do that.

/// Reads `text` times ten to the power of `exponent`, rounded once.
pub(super) fn parse(text: &str, exponent: i32) -> Option<f64> {
    if exponent == 0 {
        return text.parse().ok();
    }
    let (digits, own) = match text.split_once(['e', 'E']) {
        Some((digits, own)) => (digits, own.parse::<i32>().ok()?),
        None => (text, 0),
    };
    format!("{digits}e{}", own.checked_add(exponent)?).parse().ok()
}

/// Writes `value` divided by ten to the power of `exponent`, in as few digits as read back exactly by [`parse`].
pub(super) fn format(value: f64, exponent: i32) -> String {
    let scientific = format!("{value:e}");
    // Finite numbers have a mantissa and an exponent in this form; others are not part of any pattern.
    let Some((mantissa, own)) = scientific.split_once('e') else { return scientific };
    let Ok(own) = own.parse::<i32>() else { return scientific };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if digits == "0" {
        return format!("{sign}0");
    }
    let point = own - exponent + 1; // digits before the decimal point
    match usize::try_from(point) {
        Ok(before) if before >= digits.len() && before <= 17 => format!("{sign}{digits:0<before$}"),
        Ok(before) if before > 0 && before < digits.len() => {
            format!("{sign}{}.{}", &digits[..before], &digits[before..])
        }
        _ if (-6..=0).contains(&point) => {
            format!("{sign}0.{:0>1$}", digits, digits.len() + point.unsigned_abs() as usize)
        }
        _ => format!("{sign}{mantissa}e{}", own - exponent),
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse};
    use proptest::prelude::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(format(0.00775656, -3), "7.75656");
        assert_eq!(format(-0.01, -3), "-10");
        assert_eq!(format(1.5e-6, -3), "0.0015");
        assert_eq!(format(0.25, 0), "0.25");
        assert_eq!(format(12.0, 0), "12");
        assert_eq!(format(3e-20, -3), "3e-17");
        assert_eq!(format(-0.0, -3), "-0");
        assert_eq!(format(123456.5, -6), "123456500000");
    }

    #[test]
    fn a_unit_shifts_the_point() {
        assert_eq!(parse("7.75656", -3), Some(0.00775656));
        assert_eq!(parse("1E2", -2), Some(1.0));
        assert_eq!(parse("-.5e+1", -3), Some(-0.005));
        for bad in ["", "e", "1e", "1e99999999999", "nan", "inf", "0x10", "1,5", "1e2147483647e3"] {
            assert_eq!(parse(bad, -3), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_finite_number_survives_every_unit(bits: u64, exponent in -6..=0) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = format(value, exponent);
            prop_assert_eq!(parse(&text, exponent).map(f64::to_bits), Some(bits), "{}", text);
        }
    }
}
