package kmlcsv

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/twpayne/go-geom/encoding/wkb"
	"github.com/twpayne/go-geom/encoding/wkbcommon"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// FormatGeoPackage is a SQLite database of layers.
const FormatGeoPackage Format = "geopackage"

// packageTime limits how long a GeoPackage is read. One of the largest size takes
// a tenth of it.
const packageTime = 20 * time.Second

// rowCost is what a row counts at least towards the bytes that are read.
const rowCost = 64

func init() {
	// A geometry of a few bytes can announce any number of points.
	wkbcommon.MaxGeometryElements = [4]int{0, 1 << 20, 1 << 16, 1 << 16}
}

// layerQuery lists the feature tables and their systems. Views are left out: they
// run what the file says.
const layerQuery = `SELECT g.table_name, g.column_name, CASE
		WHEN s.srs_id IS NULL OR s.srs_id IN (0, -1) THEN ''
		WHEN upper(s.organization) = 'EPSG' THEN 'EPSG:' || s.organization_coordsys_id
		ELSE s.definition END
	FROM gpkg_geometry_columns g
	JOIN sqlite_schema t ON t.name = g.table_name AND t.type = 'table' AND t.sql LIKE 'CREATE TABLE%'
	LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id
	ORDER BY t.rowid LIMIT 1000`

// packageReader reads the layers of a GeoPackage.
type packageReader struct {
	*resultBuilder
	conn *sql.Conn
	left int64 // bytes of rows that are still read
}

// parseGeoPackage reads the feature tables of a database, which is opened in memory.
func parseGeoPackage(data []byte, opts Options) (*Result, *Error) {
	ctx, cancel := context.WithTimeout(context.Background(), packageTime)
	defer cancel()
	r := &packageReader{resultBuilder: newResultBuilder(opts, FormatGeoPackage), left: 4 * opts.MaxBytes}
	if len(opts.Beside["-wal"]) > 0 {
		r.warnFile(UpdateSkipped, "another program has this GeoPackage open; its latest changes may be missing")
	}
	err := r.readPackage(ctx, data)
	var failed *Error
	switch {
	case err == nil:
		return r.finishGIS()
	case errors.As(err, &failed):
		return r.res, failed
	case ctx.Err() != nil:
		return nil, newError(TooComplex, "reading the GeoPackage needs too long; export the sites as KML or CSV")
	}
	return nil, newError(BadArchive, "this is a damaged GeoPackage or another SQLite database; export it again")
}

func (r *packageReader) readPackage(ctx context.Context, data []byte) error {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=trusted_schema(0)&_pragma=cell_size_check(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing is written
	if r.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	defer func() { _ = r.conn.Close() }()
	if err := loadDatabase(r.conn, data); err != nil {
		return err
	}
	if _, err := sqlite.Limit(r.conn, sqlite3.SQLITE_LIMIT_LENGTH, len(data)); err != nil {
		return err
	}
	var views int
	const viewQuery = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name LIKE 'gpkg%'"
	err = r.conn.QueryRowContext(ctx, viewQuery).Scan(&views)
	if err != nil || views > 0 {
		return errors.Join(err, errors.New("a system table is a view"))
	}
	var layers [][]any
	err = r.eachRow(ctx, layerQuery, func(_ []string, values []any) *Error {
		layers = append(layers, slices.Clone(values))
		return nil
	})
	for _, l := range layers {
		if err == nil {
			err = r.readLayer(ctx, attributeText(l[0]), attributeText(l[1]), attributeText(l[2]))
		}
	}
	return err
}

// loadDatabase makes the connection's database a copy of data. A write-ahead log
// needs files, so the copy is marked as one without.
func loadDatabase(conn *sql.Conn, data []byte) error {
	data = slices.Clone(data)
	if len(data) > 20 {
		data[18], data[19] = 1, 1
	}
	return conn.Raw(func(c any) error {
		return c.(interface{ Deserialize(data []byte) error }).Deserialize(data)
	})
}

// eachRow runs a query and calls visit with the columns and values of each row.
func (r *packageReader) eachRow(
	ctx context.Context,
	query string,
	visit func(columns []string, values []any) *Error,
) error {
	rows, err := r.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is that of the rows
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r.left -= rowCost
		for _, v := range values {
			switch v := v.(type) {
			case []byte:
				r.left -= int64(len(v))
			case string:
				r.left -= int64(len(v))
			}
		}
		if r.left < 0 {
			return newError(
				TooLarge,
				"the GeoPackage is too large: its rows are over %s",
				humanize.IBytes(uint64(4*r.opts.MaxBytes)),
			)
		}
		if failed := visit(columns, values); failed != nil {
			return failed
		}
	}
	return rows.Err()
}

// readLayer reads the features of a table.
func (r *packageReader) readLayer(ctx context.Context, table, geometry, system string) error {
	if failed := r.setSystem(system); failed != nil {
		return failed
	}
	query := `SELECT * FROM "` + strings.ReplaceAll(table, `"`, `""`) + `"`
	return r.eachRow(ctx, query, func(columns []string, values []any) *Error {
		attributes := make(map[string]string, len(columns))
		var shape []byte
		for i, name := range columns {
			if raw, isBlob := values[i].([]byte); isBlob && strings.EqualFold(name, geometry) {
				shape = raw
			} else if !isBlob && values[i] != nil {
				attributes[name] = attributeText(values[i])
			}
		}
		figures, ok := figuresOfPackage(shape)
		if !ok {
			r.line++
			r.skipPlacemark(newError(GeometryUnreadable, "its geometry is damaged or of an unsupported type"))
			return nil
		}
		return r.addFeature(attributes, figures)
	})
}

func attributeText(value any) string { return strings.TrimSpace(fmt.Sprint(value)) }

// figuresOfPackage reads a geometry: a header, an envelope whose size the header
// says, and well-known binary.
func figuresOfPackage(shape []byte) ([]rawFigure, bool) {
	if len(shape) == 0 {
		return nil, true
	}
	if len(shape) < 8 || string(shape[:2]) != "GP" {
		return nil, false
	}
	envelopes := [...]int{0, 32, 48, 48, 64, len(shape), len(shape), len(shape)}
	start := 8 + envelopes[shape[3]>>1&7]
	if shape[3]&0x10 != 0 { // empty
		return nil, true
	}
	if start > len(shape) {
		return nil, false
	}
	g, err := wkb.Unmarshal(shape[start:])
	return figuresOf(g), err == nil
}
