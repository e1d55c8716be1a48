use super::*;

fn grid(width: u16, height: u16, cards: usize) -> Option<(u16, u16)> {
    Grid::fitting(Rect::new(0, 1, width, height), cards).map(|grid| (grid.columns, grid.height))
}

#[test]
fn cards_stand_side_by_side_where_there_is_room() {
    assert_eq!(grid(100, 60, 4), Some((1, 11)));
    assert_eq!(grid(120, 39, 4), Some((2, 11)));
    assert_eq!(grid(80, 23, 4), Some((2, 9)));
    assert_eq!(grid(200, 23, 4), Some((4, 11)));
}

#[test]
fn a_terminal_without_room_for_cards_has_none() {
    assert_eq!(grid(75, 23, 4), None);
    assert_eq!(grid(80, 19, 4), None);
    assert_eq!(grid(80, 23, 0), None);
}

#[test]
fn cells_cover_the_width_and_do_not_overlap() {
    let grid = Grid { columns: 3, rows: 2, height: 8 };
    let area = Rect::new(0, 1, 100, 16);
    let cells: Vec<Rect> = (0..6).map(|index| grid.cell(area, index)).collect();
    assert_eq!(cells.iter().map(|cell| cell.area()).sum::<u32>(), area.area());
    for (index, cell) in cells.iter().enumerate() {
        assert!(cells.iter().skip(index + 1).all(|other| cell.intersection(*other).is_empty()));
    }
}

#[test]
fn an_empty_value_of_no_color_does_not_count() {
    assert_eq!(Theme::from_no_color(None), Theme::Colored);
    assert_eq!(Theme::from_no_color(Some("")), Theme::Colored);
    assert_eq!(Theme::from_no_color(Some("1")), Theme::Plain);
}
