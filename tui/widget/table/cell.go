package table

import (
	"flightdesk/tui/app/columns"
)

// Kind is the kind of a column's cells.
type Kind = columns.ColumnKind

// The kinds.
const (
	Words  = columns.Words
	Number = columns.Number
	Area   = columns.Area
	Bytes  = columns.Bytes
	Money  = columns.Money
	Date   = columns.Date
	Status = columns.Status
)

// Column describes a column.
type Column = columns.ColumnSpec

// Cell is the text of a cell and what it means.
type Cell = columns.Cell
