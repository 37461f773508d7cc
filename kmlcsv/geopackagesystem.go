package kmlcsv

import (
	"context"
	"strconv"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// packageSystem is a reference system that the GeoPackage lists.
type packageSystem struct {
	id           string
	organization string // registry of the code, such as EPSG
	code         string
	definition   string // well-known text
	name         string
}

// readSystems returns the reference systems that the GeoPackage lists. The keys are the IDs of the systems in the file,
// and the values are EPSG codes or definitions as text. It leaves out undefined systems.
func (r *packageReader) readSystems(ctx context.Context) (map[string]string, error) {
	columns, err := r.db.storedColumns(ctx, "gpkg_spatial_ref_sys")
	if err != nil {
		return nil, err
	}
	systems := make(map[string]string)
	if !hasColumns(columns, "srs_id", "srs_name", "organization", "organization_coordsys_id", "definition") {
		return systems, nil
	}
	const query = `SELECT srs_id, organization, organization_coordsys_id, definition, srs_name
		FROM "gpkg_spatial_ref_sys" LIMIT 100000`
	const ( // indexes of the columns in the query
		id = iota
		organization
		code
		definition
		name
	)
	addSystem := func(row []any) error {
		s := packageSystem{
			id:           attributeText(row[id]),
			organization: attributeText(row[organization]),
			code:         attributeText(row[code]),
			definition:   attributeText(row[definition]),
			name:         attributeText(row[name]),
		}
		if !s.isUndefined() {
			systems[s.id] = s.reference()
		}
		return nil
	}
	if err := r.db.eachRow(ctx, query, addSystem); err != nil {
		return nil, err
	}
	return systems, nil
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
