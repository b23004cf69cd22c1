//! Widths of the columns: the usual ones, and how much of the remaining width each gets.

use informer_engine::columns::ColumnHeader;

/// Width from which on the columns that kubectl shows with `-o wide` are visible.
const WIDE: u32 = 1200;

/// Width from which on rarely filled wide columns are visible: below it, names need the space more.
const VERY_WIDE: u32 = 1800;

/// Returns the width from which on a wide column is visible.
pub(super) fn min_table_width_for(header: &ColumnHeader) -> u32 {
    if matches!(header.name.as_str(), "Nominated Node" | "Readiness Gates") { VERY_WIDE } else { WIDE }
}

/// Returns the minimum width in pixels, and the share of the remaining width.
pub(super) fn min_width_and_share(header: &ColumnHeader) -> (u32, u32) {
    match header.name.as_str() {
        "Name" => (180, 32),
        "Namespace" => (92, 12),
        // Room for CrashLoopBackOff.
        "Status" => (140, 16),
        "Restarts" => (96, 5),
        "Age" => (64, 4),
        "Last Seen" => (84, 4),
        "Ready" => (60, 4),
        "IP" | "Internal-IP" | "External-IP" | "Nominated Node" | "Readiness Gates" => (124, 6),
        "Message" => (200, 40),
        "Images" | "Selector" | "Object" => (150, 18),
        _ if header.numeric => (84, 4),
        // Authors of custom resources choose the column names, which are often long.
        name => (u32::try_from(name.chars().count()).unwrap_or(u32::MAX).saturating_mul(8).clamp(100, 180), 10),
    }
}

/// Minimum width and share of a column of usage: a number, and a bar below it.
pub(super) const USAGE_WIDTHS: (u32, u32) = (88, 6);
