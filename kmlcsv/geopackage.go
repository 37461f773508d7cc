package kmlcsv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// FormatGeoPackage is the format GeoPackage, a SQLite database with layers of features.
const FormatGeoPackage Format = "geopackage"

// packageMagic is how the file of a SQLite database starts.
const packageMagic = "SQLite format 3\x00"

// packageReader reads the layers of a GeoPackage.
type packageReader struct {
	out    *resultBuilder
	db     *packageDatabase
	layers Account // counts the layers: Sites is the number with sites, Other is the number without sites
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
	db, err := openPackage(ctx, data, r.out.opts.work)
	if err != nil {
		return err
	}
	defer db.close()
	r.db = db
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
			r.out.warnFile(LayerSkipped, "the layer %s has several geometries; only its first was read", []byte(l.table))
			continue
		}
		seen[name] = true
		if err := r.readLayer(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// maxLayers is the maximum number of layers in a GeoPackage.
const maxLayers = 1000

// findLayers returns the layers that the GeoPackage lists as tables with geometries.
func (r *packageReader) findLayers(ctx context.Context) ([]packageLayer, error) {
	columns, err := r.db.storedColumns(ctx, "gpkg_geometry_columns")
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
	const ( // indexes of the columns in the query
		tableName = iota
		columnName
		systemID
	)
	var layers []packageLayer
	addLayer := func(row []any) error {
		layers = append(layers, packageLayer{
			table:    attributeText(row[tableName]),
			geometry: attributeText(row[columnName]),
			system:   systems[attributeText(row[systemID])],
		})
		return nil
	}
	if err := r.db.eachRow(ctx, query, addLayer); err != nil {
		return nil, err
	}
	if len(layers) > maxLayers {
		return nil, newError(TooComplex, "the GeoPackage has more than %d layers", maxLayers)
	}
	return layers, nil
}

// readLayer reads the features of a table and counts the layer in r.layers.
func (r *packageReader) readLayer(ctx context.Context, l packageLayer) error {
	r.layers.Total++
	columns, err := r.db.storedColumns(ctx, l.table)
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
	attributes := attributesOf(l, columns)
	current := &featureRow{}
	text := current.attribute // made once, because there can be millions of rows
	addRow := func(values []any) error {
		current.values = values
		figures, problem := figuresOfValue(current.geometry())
		failed := r.out.addFeature(feature{names: attributes, text: text, figures: figures, problem: problem})
		if failed != nil {
			return failed
		}
		return nil // not failed, because a nil *Error would not be a nil error
	}
	return r.db.eachRow(ctx, featureQuery(l, attributes), addRow)
}

// attributesOf returns the columns of a layer that are not its geometry.
func attributesOf(l packageLayer, columns []string) []string {
	var attributes []string
	for _, column := range columns {
		if !strings.EqualFold(column, l.geometry) {
			attributes = append(attributes, column)
		}
	}
	return attributes
}

// featureQuery returns the SQL query for the rows of a layer. Its first column is the geometry, and the other columns
// are the attributes.
func featureQuery(l packageLayer, attributes []string) string {
	selected := []string{quoteSQL(l.geometry, `"`)}
	for _, column := range attributes {
		selected = append(selected, quoteSQL(column, `"`))
	}
	return "SELECT " + strings.Join(selected, ", ") + " FROM main." + quoteSQL(l.table, `"`)
}

// featureRow is a row of a layer: the geometry, then the attributes.
type featureRow struct{ values []any }

func (r *featureRow) geometry() any { return r.values[0] }

// attribute returns the attribute at index i as text.
func (r *featureRow) attribute(i int) string { return attributeText(r.values[1+i]) }

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

// The parts of the header of a geometry: "GP", the version, the flags and the ID of the reference system.
const (
	geometryMagic      = "GP"
	geometryFlags      = 3 // index of the byte with the flags
	geometryHeaderSize = 8

	emptyFlag     = 1 << 4 // the geometry has no points
	envelopeShift = 1      // the kind of the envelope is three bits of the flags
	envelopeMask  = 7
)

// envelopeSizes has the size in bytes of each kind of bounding box, which the GeoPackage format calls envelope. The
// kinds are none, xy, xyz, xym and xyzm.
var envelopeSizes = [...]int{0, 32, 48, 48, 64}

// figuresOfPackage returns the shapes of a geometry in the GeoPackage format. This format is a header, a bounding box
// and then well-known binary. The header says how large the bounding box is.
func figuresOfPackage(shape []byte) ([]rawFigure, *Error) {
	if len(shape) == 0 {
		return nil, nil
	}
	hasHeader := len(shape) >= geometryHeaderSize && string(shape[:len(geometryMagic)]) == geometryMagic
	if !hasHeader {
		return nil, damagedWKB
	}
	flags := shape[geometryFlags]
	isEmpty := flags&emptyFlag != 0
	if isEmpty {
		return nil, nil
	}
	envelope := int(flags >> envelopeShift & envelopeMask)
	if envelope >= len(envelopeSizes) {
		return nil, damagedWKB
	}
	start := geometryHeaderSize + envelopeSizes[envelope]
	if start > len(shape) {
		return nil, damagedWKB
	}
	return readWKB(shape[start:])
}
