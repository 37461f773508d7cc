package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// recordTable reads and writes the rows of a table as records of type T, a pointer to a struct.
// Each column is a field with a tag `column:"name"`. The database assigns the column id. The tag
// can have two other forms:
//
//   - `column:"name,dated"` stores a time as text, with the UTC offset that the client sent.
//   - A name in parentheses is an SQL expression. The field is read and never written.
//
// T is a pointer to keep the program small. The compiler generates only one copy of a generic
// function for all pointer types, but a separate copy for each struct type.
type recordTable[T any] struct {
	name    string
	columns []rowColumn
	inserts sync.Map // the INSERT statement for each number of rows

	insertPlan func() []plannedColumn
	all        string // the query of all records

	computed     []string                                        // columns without a field
	computeValue func(tx *Tx, row T, column string) (any, error) // returns the value of a computed column
	insertOnly   string                                          // the computed column that updates do not change, or ""

	list   listQueries // queries of the records of an owner, see listed
	sorted string      // column by which these records are sorted
}

// tables maps the type of a record, for example *Order, to its table.
var tables = map[reflect.Type]any{}

func tableOf[T any]() *recordTable[T] { return tables[reflect.TypeFor[T]()].(*recordTable[T]) }

// rowColumn is a column of a table, and the struct field that has its value.
type rowColumn struct {
	name   string
	field  []int // index of the field, for [reflect.Value.FieldByIndex]
	isCell bool  // read and written with [columnCell]
	dated  bool
}

// newRecordTable returns the table with a name and the columns that the tags of T describe, and adds it to tables.
func newRecordTable[T any](name string) *recordTable[T] {
	t := &recordTable[T]{name: name}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]().Elem()) {
		tag, isColumn := f.Tag.Lookup("column")
		if !isColumn {
			continue
		}
		t.columns = append(t.columns, newRowColumn(f, tag))
	}
	t.all = `SELECT ` + t.columnList("") + ` FROM ` + name + ` `
	t.insertPlan = sync.OnceValue(func() []plannedColumn { return t.planColumns(t.insertedColumns()) })
	tables[reflect.TypeFor[T]()] = t
	return t
}

// newRowColumn returns the column of a struct field. tag is the value of the field's column tag,
// such as "created" or "deadline,dated".
func newRowColumn(f reflect.StructField, tag string) rowColumn {
	name, isDated := strings.CutSuffix(tag, ",dated")
	isCell := f.Type.Kind() == reflect.Slice
	switch f.Type {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[bool]():
		isCell = true
	}
	return rowColumn{name: name, field: f.Index, isCell: isCell, dated: isDated}
}

// listed prepares the queries that [List] runs for this table, and returns the table. where is the
// condition for the records of one owner; $1 is the ID of the owner. The list is sorted by column,
// in the given direction.
func (t *recordTable[T]) listed(where, column string, direction listDirection) *recordTable[T] {
	t.list = newListQueries(t.all+where, 1, direction, column)
	t.sorted = column
	return t
}

// List returns one page of the records of an owner; w selects the page. owner is the ID of an
// account, order, mission, package or endpoint, and 0 for lists without an owner.
func List[T any](ctx context.Context, from querier, owner int64, w ListWindow) ([]T, error) {
	t := tableOf[*T]()
	return readList(ctx, from, &t.list, t.scanRow, w, owner)
}

// PlaceOf returns the position of a record in the list that [List] returns for its owner.
func PlaceOf[T any](row *T) Position { return tableOf[*T]().placeOf(row) }

func (t *recordTable[T]) placeOf(row T) Position {
	record := reflect.ValueOf(row).Elem()
	column := t.columnNamed(t.sorted)
	return Position{ID: record.FieldByIndex(column.field).Int()}
}

// ByUUID returns the record of type T with the given UUID, or ErrNotFound. The record can belong to
// any account.
func ByUUID[T any](ctx context.Context, from querier, uuid string) (T, error) {
	return findRow(ctx, from, tableOf[*T](), ofUUID, uuid)
}

// ByID returns the record of type T with the given ID, or ErrNotFound.
func ByID[T any](ctx context.Context, from querier, id int64) (T, error) {
	return findRow(ctx, from, tableOf[*T](), ofID, id)
}

// Insert adds records. If the table has IDs, Insert sets the IDs of the records, in ascending
// order.
func Insert[T any](tx *Tx, rows ...*T) error { return insertRows(tx, tableOf[*T](), rows...) }

// InsertLater adds records without setting their IDs. In a database that several processes share,
// the records are sent together with the commit. If one of them cannot be added, the transaction
// fails.
func InsertLater[T any](tx *Tx, rows ...*T) error {
	t := tableOf[*T]()
	return t.eachBatch(tx, rows, func(_ []*T, text string, args []any) error { return tx.executeLater(text, args...) })
}

// Replace saves a record that exists once per order or mission, such as a flight permission. It
// replaces the earlier record, if there is one.
func Replace[T any](tx *Tx, row *T) error { return replaceRow(tx, tableOf[*T](), row) }

// Update saves a record that was read and changed in the same transaction.
func Update[T any](tx *Tx, row *T) error {
	t := tableOf[*T]()
	return updateRow(tx, t, row, t.changingColumns()...)
}

func (t *recordTable[T]) columnNamed(name string) rowColumn {
	i := slices.IndexFunc(t.columns, func(c rowColumn) bool { return c.name == name })
	return t.columns[i]
}

// insertQuery returns the query that inserts a number of rows.
func (t *recordTable[T]) insertQuery(rows int) string {
	if text, ok := t.inserts.Load(rows); ok {
		return text.(string)
	}
	names := t.insertedColumns()
	columns := strings.Join(names, ", ")
	text := `INSERT INTO ` + t.name + ` (` + columns + `) VALUES ` + rowPlaceholders(rows, len(names))
	if t.columns[0].name == "id" {
		text += ` RETURNING id`
	}
	t.inserts.Store(rows, text)
	return text
}

func (t *recordTable[T]) insertedColumns() []string {
	var names []string
	for _, c := range t.columns {
		if c.name != "id" && !strings.HasPrefix(c.name, "(") {
			names = append(names, c.name)
		}
	}
	return append(names, t.computed...)
}

// changingColumns returns the columns that [Update] writes. The column insertOnly is not one of
// them.
func (t *recordTable[T]) changingColumns() []string {
	return slices.DeleteFunc(t.insertedColumns(), func(name string) bool { return name == t.insertOnly })
}

// columnList returns the names of the columns, separated by commas. Each name has the prefix, which
// is "" or a table alias and a dot.
func (t *recordTable[T]) columnList(prefix string) string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = prefix + c.name
	}
	return strings.Join(names, ", ")
}

// scanPlaces returns pointers to the fields of a record, in the order of the columns, for
// [sql.Rows.Scan].
func (t *recordTable[T]) scanPlaces(row T) []any {
	places := make([]any, len(t.columns))
	v := reflect.ValueOf(row).Elem()
	for i, c := range t.columns {
		places[i] = v.FieldByIndex(c.field).Addr().Interface()
		if c.isCell {
			places[i] = columnCell{places[i], c.dated}
		}
	}
	return places
}

func (t *recordTable[T]) scanRow(rows *sql.Rows, row T) error {
	return rows.Scan(t.scanPlaces(row)...)
}

// readRow reads the first record that a query returns, or returns ErrNotFound if there is
// none. rest is the part of the query after the name of the table.
func (t *recordTable[T]) readRow(ctx context.Context, q querier, row T, rest string, args []any) error {
	return readFirst(ctx, q, func(rows *sql.Rows) error { return t.scanRow(rows, row) }, t.all+rest, args)
}

// rowValues returns the values of a record for the given columns, in the form in which the database
// stores them.
func (t *recordTable[T]) rowValues(tx *Tx, row T, columns []string) ([]any, error) {
	return t.appendValues(make([]any, 0, len(columns)), tx, row, t.planColumns(columns))
}

// appendValues appends to values the value of each column in plan, in the form in which the
// database stores it.
func (t *recordTable[T]) appendValues(values []any, tx *Tx, row T, plan []plannedColumn) ([]any, error) {
	record := reflect.ValueOf(row).Elem()
	for i := range plan {
		value, err := t.plannedValue(tx, row, record, &plan[i])
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// plannedValue returns the value to store in a planned column. record is the struct that row
// points to.
func (t *recordTable[T]) plannedValue(tx *Tx, row T, record reflect.Value, c *plannedColumn) (any, error) {
	if c.field == nil {
		return t.computeValue(tx, row, c.name)
	}
	field := record.FieldByIndex(c.field)
	if c.isCell {
		return columnCell{field.Addr().Interface(), c.dated}.columnValue()
	}
	if c.isInt {
		return field.Int(), nil
	}
	if c.isText {
		return field.String(), nil
	}
	return field.Interface(), nil
}

// plannedColumn is a column with its struct field. The field is looked up once, not again for each
// row. It is nil for a computed column.
type plannedColumn struct {
	rowColumn
	isInt, isText bool // read without an allocation
}

// planColumns looks up the fields of columns.
func (t *recordTable[T]) planColumns(names []string) []plannedColumn {
	record := reflect.TypeFor[T]().Elem()
	plan := make([]plannedColumn, len(names))
	for i, name := range names {
		if slices.Contains(t.computed, name) {
			plan[i].name = name
			continue
		}
		column := t.columnNamed(name)
		plan[i].rowColumn = column
		if !column.isCell {
			kind := record.FieldByIndex(column.field).Type.Kind()
			plan[i].isInt = kind == reflect.Int || kind == reflect.Int64
			plan[i].isText = kind == reflect.String
		}
	}
	return plan
}

// findRows returns all records that a query returns. rest is the part of the query after the
// name of the table.
func findRows[T any](ctx context.Context, q querier, t *recordTable[*T], rest string, args ...any) ([]T, error) {
	return collectRows(ctx, q, t.scanRow, t.all+rest, args...)
}

// findRow returns the first record that a query returns, or ErrNotFound. rest is the part of the
// query after the name of the table.
func findRow[T any](ctx context.Context, q querier, t *recordTable[*T], rest string, args ...any) (T, error) {
	var row T
	err := t.readRow(ctx, q, &row, rest, args)
	return row, err
}

// insertRows adds records in batches. If the table has IDs, insertRows sets the IDs of the
// records, in ascending order. T is a pointer; see [recordTable].
func insertRows[T any](tx *Tx, t *recordTable[T], rows ...T) error {
	return t.eachBatch(tx, rows, func(batch []T, text string, args []any) error {
		ids, err := collectRows(tx.ctx, tx, scanID, text, args...) // no IDs if the table has none
		if err != nil {
			return err
		}
		slices.Sort(ids) // assigned in the order of the rows, but returned in any order
		for i, id := range ids {
			t.setID(batch[i], id)
		}
		return nil
	})
}

// eachBatch divides rows into batches and calls insert for each batch. text is the query that
// inserts the batch, and args are the arguments of the query.
func (t *recordTable[T]) eachBatch(tx *Tx, rows []T, insert func(batch []T, text string, args []any) error) error {
	plan := t.insertPlan()
	for len(rows) > 0 {
		batchSize := tx.s.engine.insertSize(len(rows))
		text := t.insertQuery(batchSize)
		batch := rows[:batchSize]
		rows = rows[batchSize:]
		args := make([]any, 0, batchSize*len(plan))
		for _, row := range batch {
			var err error
			args, err = t.appendValues(args, tx, row, plan)
			if err != nil {
				return err
			}
		}
		if err := insert(batch, text, args); err != nil {
			return err
		}
	}
	return nil
}

// setID sets the ID of the record that row points to. The ID is the first column.
func (t *recordTable[T]) setID(row T, id int64) {
	reflect.ValueOf(row).Elem().FieldByIndex(t.columns[0].field).SetInt(id)
}

// replaceRow adds a record, or replaces the record with the same value in the first
// column.
func replaceRow[T any](tx *Tx, t *recordTable[T], row T) error {
	names := t.insertedColumns()
	values, err := t.rowValues(tx, row, names)
	if err != nil {
		return err
	}
	var changes []string
	for _, name := range names[1:] {
		changes = append(changes, name+` = excluded.`+name)
	}
	text := t.insertQuery(1)
	return tx.execute(text+` ON CONFLICT (`+names[0]+`) DO UPDATE SET `+strings.Join(changes, ", "), values...)
}

// updateRow saves some columns of an existing record.
func updateRow[T any](tx *Tx, t *recordTable[T], row T, columns ...string) error {
	values, err := t.rowValues(tx, row, append(columns, "id"))
	if err != nil {
		return err
	}
	changes := make([]string, len(columns))
	for i, name := range columns {
		changes[i] = name + ` = $` + strconv.Itoa(i+1)
	}
	query := fmt.Sprintf(`UPDATE %s SET %s WHERE id = $%d`, t.name, strings.Join(changes, ", "), len(values))
	return tx.execute(query, values...)
}
