package kmlcsv

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"

	"flightdesk/kmlcsv/crs"
)

// FormatGeoPackage is the format GeoPackage, a SQLite database with layers of features.
const FormatGeoPackage Format = "geopackage"

// packageMagic is how the file of a SQLite database starts.
const packageMagic = "SQLite format 3\x00"

// rowCost is a number of bytes that is added for each row when its size counts against the limit of unpacked data.
const rowCost = 16

// packageReader reads the layers of a GeoPackage. It does not trust the database: it reads only columns that are
// stored in tables, not views or computed columns. So no SQL from the file is executed.
type packageReader struct {
	out    *resultBuilder
	conn   *sql.Conn
	layers Account // counts layers: with sites in Sites, without sites in Other
}

// packageLayer is a layer that the GeoPackage lists.
type packageLayer struct {
	table    string
	geometry string // column with the geometry
	system   string // reference system, "" if undefined
}

// parseGeoPackage reads the layers of a GeoPackage. data is the whole database.
func parseGeoPackage(data []byte, opts readOptions) (*Result, *Error) {
	r := &packageReader{
		out:    newResultBuilder(opts, FormatGeoPackage),
		layers: Account{Container: "package", Unit: "layer"},
	}
	if len(opts.Beside["-wal"]) > 0 {
		r.out.warnFile(UpdateSkipped, "another program has this GeoPackage open; its latest changes may be missing")
	}
	err := r.readPackage(opts.work.ctx, data)
	r.out.res.Accounts = append(r.out.res.Accounts, r.layers)
	if stop := r.out.checkStop(); stop != nil {
		return nil, stop
	}
	if err == nil {
		return r.out.finishGIS()
	}
	var failed *Error
	if errors.As(err, &failed) {
		return r.out.res, failed
	}
	damaged := newError(BadArchive, "this is a damaged GeoPackage or another SQLite database; export it again")
	damaged.cause = err
	return nil, damaged
}

// readPackage opens the database and reads its layers.
func (r *packageReader) readPackage(ctx context.Context, data []byte) error {
	name, files, err := vfs.New(packageFiles{ctx, data})
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // fails only if a database is open
	db, err := sql.Open("sqlite", "file:"+packageName+"?vfs="+name+
		"&mode=ro&immutable=1&_defensive=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing is written
	r.conn, err = db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = r.conn.Close() }()
	if err := limitDatabase(r.conn, len(data)); err != nil {
		return err
	}
	layers, err := r.findLayers(ctx)
	if err != nil {
		return err
	}
	return r.readLayers(ctx, layers)
}

// readLayers reads the layers. A table with several geometry columns is listed several times; only its first geometry
// is read.
func (r *packageReader) readLayers(ctx context.Context, layers []packageLayer) error {
	seen := make(map[string]bool)
	for _, l := range layers {
		name := strings.ToLower(l.table)
		if seen[name] {
			r.layers.Total++
			r.layers.Skipped++
			r.warnLayer(l.table, "it is listed twice; only its first geometry is read")
			continue
		}
		seen[name] = true
		if err := r.readLayer(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// limitDatabase sets the limits of SQLite to the lowest values with which tables can be read, because the database is
// not trusted. size is the size of the database in bytes.
func limitDatabase(conn *sql.Conn, size int) error {
	for id, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_LENGTH:              min(size, maxUnpacked),
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 20,
		sqlite3.SQLITE_LIMIT_COLUMN:              2000,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          100,
		sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     3,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             100_000,
		sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        8,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
		sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     8,
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       1,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return err
		}
	}
	return nil
}

// storedColumns returns the columns of a table whose values are stored. It leaves out generated columns, because
// SQLite would evaluate an expression from the file to read them. For the same reason, it returns no columns for a
// view or a virtual table. It also returns no columns if the table does not exist.
func (r *packageReader) storedColumns(ctx context.Context, table string) (columns []string, err error) {
	query := fmt.Sprintf(`SELECT name FROM pragma_table_xinfo(%s) WHERE hidden = 0
		AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = %[1]s COLLATE NOCASE AND type = 'table'
			AND substr(ltrim(sql), 1, 12) = 'CREATE TABLE' COLLATE NOCASE)`, quoteSQL(table, "'"))
	addColumn := func(values []any) error {
		columns = append(columns, fmt.Sprint(values[0]))
		return nil
	}
	err = r.eachRow(ctx, query, addColumn)
	return columns, err
}

// quoteSQL quotes a name or a text from the file, so that it can be used in an SQL query.
func quoteSQL(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// hasColumns reports whether columns has all wanted names. It ignores the case of letters.
func hasColumns(columns []string, wanted ...string) bool {
	for _, name := range wanted {
		isWanted := func(column string) bool { return strings.EqualFold(column, name) }
		if !slices.ContainsFunc(columns, isWanted) {
			return false
		}
	}
	return true
}

// maxLayers is the maximum number of layers in a GeoPackage.
const maxLayers = 1000

// findLayers returns the layers that the GeoPackage lists as tables with geometries.
func (r *packageReader) findLayers(ctx context.Context) ([]packageLayer, error) {
	columns, err := r.storedColumns(ctx, "gpkg_geometry_columns")
	if err != nil {
		return nil, err
	}
	if !hasColumns(columns, "table_name", "column_name", "srs_id") {
		return nil, errors.New("the table of layers is missing or computed")
	}
	systems, err := r.readSystems(ctx)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(`SELECT table_name, column_name, srs_id FROM "gpkg_geometry_columns"
		ORDER BY rowid LIMIT %d`, maxLayers+1)
	var layers []packageLayer
	addLayer := func(values []any) error {
		systemID := attributeText(values[2])
		layers = append(layers, packageLayer{
			table:    attributeText(values[0]),
			geometry: attributeText(values[1]),
			system:   systems[systemID],
		})
		return nil
	}
	if err := r.eachRow(ctx, query, addLayer); err != nil {
		return nil, err
	}
	if len(layers) > maxLayers {
		return nil, newError(TooComplex, "the GeoPackage has more than %d layers", maxLayers)
	}
	return layers, nil
}

// readSystems returns the reference systems that the GeoPackage lists, by their IDs in the file. It leaves out
// undefined systems.
func (r *packageReader) readSystems(ctx context.Context) (map[string]string, error) {
	columns, err := r.storedColumns(ctx, "gpkg_spatial_ref_sys")
	if err != nil {
		return nil, err
	}
	systems := make(map[string]string)
	if !hasColumns(columns, "srs_id", "srs_name", "organization", "organization_coordsys_id", "definition") {
		return systems, nil
	}
	const query = `SELECT srs_id, organization, organization_coordsys_id, definition, srs_name
		FROM "gpkg_spatial_ref_sys" LIMIT 100000`
	addSystem := func(values []any) error {
		s := packageSystem{
			id:           attributeText(values[0]),
			organization: attributeText(values[1]),
			code:         attributeText(values[2]),
			definition:   attributeText(values[3]),
			name:         attributeText(values[4]),
		}
		if !s.isUndefined() {
			systems[s.id] = s.reference()
		}
		return nil
	}
	if err := r.eachRow(ctx, query, addSystem); err != nil {
		return nil, err
	}
	return systems, nil
}

// packageSystem is a reference system that the GeoPackage lists.
type packageSystem struct {
	id           string
	organization string // registry of the code, such as EPSG
	code         string
	definition   string // well-known text
	name         string
}

// isUndefined reports whether the entry means that the reference system is not known.
func (s *packageSystem) isUndefined() bool {
	return s.id == "0" || s.id == "-1" || strings.EqualFold(s.definition, "undefined") ||
		strings.HasPrefix(strings.ToLower(s.name), "undefined")
}

// reference returns the EPSG code of the system as text. If the system has no EPSG code, it returns the definition.
func (s *packageSystem) reference() string {
	if strings.EqualFold(s.organization, "EPSG") {
		return codeOrDefinition(s.code, s.definition)
	}
	return s.definition
}

// codeOrDefinition returns the EPSG code in the form "EPSG:25832". If package crs does not know the code but can
// parse the definition, it returns the definition instead.
func codeOrDefinition(code, definition string) string {
	isKnown := false
	if number, err := strconv.Atoi(code); err == nil {
		_, err := crs.FindCode(number)
		isKnown = err == nil
	}
	if !isKnown {
		if _, err := crs.Parse(definition); err == nil {
			return definition
		}
	}
	return "EPSG:" + code
}

// eachRow runs a query and calls visit for each row. The values are only valid until visit returns.
func (r *packageReader) eachRow(ctx context.Context, query string, visit func(values []any) error) error {
	rows, err := r.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the same error
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if !r.out.opts.work.useBytes(rowSize(values)) {
			return r.out.opts.work.tooLarge("the GeoPackage")
		}
		if err := visit(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// rowSize returns how many bytes a row counts against the limit of unpacked data.
func rowSize(values []any) int64 {
	size := rowCost
	for _, v := range values {
		switch v := v.(type) {
		case []byte:
			size += len(v)
		case string:
			size += len(v)
		}
	}
	return int64(size)
}

// readLayer reads the features of a table and counts the layer in r.layers.
func (r *packageReader) readLayer(ctx context.Context, l packageLayer) error {
	r.layers.Total++
	columns, err := r.storedColumns(ctx, l.table)
	if err != nil {
		return err
	}
	if !hasColumns(columns, l.geometry) {
		r.layers.Skipped++
		r.warnLayer(l.table, "it is a view or computed; export it as a separate layer")
		return nil
	}
	if failed := r.out.setSystem(l.system); failed != nil {
		r.layers.Skipped++ // the returned error says why
		return failed
	}
	r.out.openAccount("layer "+oneLine([]byte(l.table)), "feature")
	sitesBefore := len(r.out.res.Placemarks)
	if err := r.readFeatures(ctx, l, columns); err != nil {
		r.layers.Skipped++
		return err
	}
	hasSites := len(r.out.res.Placemarks) > sitesBefore
	if hasSites {
		r.layers.Sites++
	} else {
		r.layers.Other++
	}
	return nil
}

// warnLayer adds a warning that a layer was not read. reason says why.
func (r *packageReader) warnLayer(table, reason string) {
	r.out.warnFile(LayerSkipped, "the layer %s was not read: %s", []byte(table), reason)
}

// readFeatures adds a site for each row of a layer, with the geometry and the attributes of the row.
func (r *packageReader) readFeatures(ctx context.Context, l packageLayer, columns []string) error {
	var names []string
	selected := []string{quoteSQL(l.geometry, `"`)} // the geometry, then the attributes
	for _, column := range columns {
		if !strings.EqualFold(column, l.geometry) {
			names = append(names, column)
			selected = append(selected, quoteSQL(column, `"`))
		}
	}
	var row []any                                                      // the geometry, then the attributes
	attribute := func(i int) string { return attributeText(row[i+1]) } // made once for all rows
	addRow := func(values []any) error {
		row = values
		figures, problem := figuresOfValue(values[0])
		failed := r.out.addFeature(feature{names: names, text: attribute, figures: figures, problem: problem})
		if failed == nil {
			return nil // a nil *Error would not be a nil error
		}
		return failed
	}
	query := "SELECT " + strings.Join(selected, ", ") + " FROM main." + quoteSQL(l.table, `"`)
	return r.eachRow(ctx, query, addRow)
}

// figuresOfValue returns the shapes of a geometry in the database, which is binary data or null.
func figuresOfValue(value any) ([]rawFigure, *Error) {
	shape, isBinary := value.([]byte)
	if !isBinary && value != nil {
		return nil, newError(GeometryUnreadable, "its geometry is not binary")
	}
	return figuresOfPackage(shape)
}

// attributeText returns a value of the database as text. It returns "" for null and for binary data.
func attributeText(value any) string {
	switch v := value.(type) {
	case nil, []byte:
		return ""
	case string:
		return strings.TrimSpace(v)
	case time.Time:
		return strings.TrimSuffix(v.Format(time.DateTime), " 00:00:00")
	}
	return fmt.Sprint(value)
}

// figuresOfPackage returns the shapes of a geometry in the GeoPackage format. This format is a header, a bounding box
// and then well-known binary. The header says how large the bounding box is.
func figuresOfPackage(shape []byte) ([]rawFigure, *Error) {
	if len(shape) == 0 {
		return nil, nil
	}
	if len(shape) < 8 || string(shape[:2]) != "GP" {
		return nil, damagedWKB
	}
	envelopes := [...]int{0, 32, 48, 48, 64, len(shape), len(shape), len(shape)}
	start := 8 + envelopes[shape[3]>>1&7]
	if shape[3]&0x10 != 0 { // empty
		return nil, nil
	}
	if start > len(shape) {
		return nil, damagedWKB
	}
	return readWKB(shape[start:])
}

// packageName is the name under which SQLite opens the database in memory.
const packageName = "data.gpkg"

// packageFiles is a file system with a single file, the database in memory. SQLite needs a file system because it
// cannot open a database from memory. If the context has ended, reading returns an error, so that queries end, too.
type packageFiles struct {
	ctx  context.Context
	data []byte
}

// Open opens the database.
func (f packageFiles) Open(name string) (fs.File, error) {
	if name != packageName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &packageFile{Reader: bytes.NewReader(f.data), files: f}, nil
}

// packageFile is the open database. SQLite reads a changed header from it, which says that the database has no
// write-ahead log. Otherwise SQLite would look for the files of this log, which are not available.
type packageFile struct {
	*bytes.Reader
	files packageFiles
}

// The bytes in the header that say whether the database has a write-ahead log, and the value of each if it has none.
const (
	walFrom = 18
	walTo   = 20
	noWAL   = 1
)

// Read reads the next bytes of the database.
func (f *packageFile) Read(into []byte) (int, error) {
	if err := f.files.ctx.Err(); err != nil {
		return 0, err
	}
	offset := f.Size() - int64(f.Len())
	n, err := f.Reader.Read(into)
	for i := max(offset, walFrom); i < min(offset+int64(n), walTo); i++ {
		into[i-offset] = noWAL
	}
	return n, err
}

// Stat returns the size of the database.
func (f *packageFile) Stat() (fs.FileInfo, error) { return packageInfo{f.Size()}, nil }

// Close does nothing.
func (f *packageFile) Close() error { return nil }

// packageInfo describes the database in memory. It implements [fs.FileInfo].
type packageInfo struct{ size int64 }

func (packageInfo) Name() string       { return packageName }
func (i packageInfo) Size() int64      { return i.size }
func (packageInfo) Mode() fs.FileMode  { return 0o400 }
func (packageInfo) ModTime() time.Time { return time.Time{} }
func (packageInfo) IsDir() bool        { return false }
func (packageInfo) Sys() any           { return nil }

var _ io.Seeker = (*packageFile)(nil)
