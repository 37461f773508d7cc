package kmlcsv

import "fmt"

// Account says what became of the records of one container: the rows of a sheet, the
// features of a layer, the placemarks of a document, the members of an archive. Every
// reader counts the records that its container holds and adds each to exactly one of
// the other counts, so that a record that is lost shows as a difference.
type Account struct {
	Container string // "sheet Plan", "layer poles", "doc.kml"; "" for the file itself
	Unit      string // what a record is: "row", "feature", "placemark", "member"

	Total   int // records that the container holds
	Sites   int // records that became one or more placemarks
	Parts   int // records that are a part of a placemark with other records, such as a corner
	Skipped int // records that were left out; a warning names each with its reason
	Other   int // records without data: blank rows, titles, headers, folders
}

// Missing returns how many records are unaccounted for. It is 0 unless a reader has a
// defect, and negative if a record was counted twice.
func (a Account) Missing() int {
	return a.Total - a.Sites - a.Parts - a.Skipped - a.Other
}

// CheckAccounts returns an error if a reader has lost a record or counted one twice.
// It is the invariant of all readers: tests and fuzz targets check it for every input.
func (r *Result) CheckAccounts() error {
	for _, a := range r.Accounts {
		if missing := a.Missing(); missing != 0 {
			return fmt.Errorf("%s: %d of %d records (%s) are unaccounted for", a.Container, missing, a.Total, a.Unit)
		}
	}
	return nil
}
