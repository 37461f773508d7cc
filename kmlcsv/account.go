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

// openAccount starts the account of a container. Records are counted in it until
// another one is opened.
func (b *resultBuilder) openAccount(container, unit string) {
	b.res.Accounts = append(b.res.Accounts, Account{Container: container, Unit: unit})
}

// account returns the account that records are counted in, which is valid until
// another one is opened.
func (b *resultBuilder) account() *Account {
	if len(b.res.Accounts) == 0 {
		b.openAccount("", "record")
	}
	return &b.res.Accounts[len(b.res.Accounts)-1]
}

// recordMark is the state of a result before a record is read.
type recordMark struct{ placemarks, skipped int }

// startRecord counts a record of the container. countRecord must follow once the record
// is read.
func (b *resultBuilder) startRecord() recordMark {
	b.account().Total++
	return recordMark{len(b.res.Placemarks), b.res.Skipped}
}

// countRecord counts what became of a record: a site if it added placemarks, and
// skipped if a warning says why it did not. A record that did neither stays
// unaccounted for, which CheckAccounts reports.
func (b *resultBuilder) countRecord(since recordMark) {
	account := b.account()
	switch added := b.res.Placemarks[since.placemarks:]; {
	case len(added) > 0:
		account.Sites++
		if allAtZero(added) {
			b.zeroes = append(b.zeroes, len(b.res.Accounts)-1)
		}
	case b.res.Skipped > since.skipped:
		account.Skipped++
	}
}
