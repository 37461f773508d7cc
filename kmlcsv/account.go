package kmlcsv

import "fmt"

// Account counts the records of one container: the rows of a sheet, the features of a layer, the placemarks of a
// document or the members of an archive. Every reader counts each record in Total and in exactly one of the other
// counts, so that a lost record shows as a difference.
type Account struct {
	Container string // "sheet Plan", "layer poles", "doc.kml"; "" for the file itself
	Unit      string // kind of record: "row", "feature", "placemark", "member"

	Total   int // all records in the container
	Sites   int // records that became one or more placemarks
	Parts   int // records that form a placemark together with other records, such as the corners of an area
	Skipped int // records that were left out; a warning names each with its reason
	Other   int // records without data: blank rows, titles, headers, folders
}

// Missing returns how many records are in Total but in no other count. It is 0 unless a reader has a defect, and
// negative if a record was counted twice.
func (a Account) Missing() int {
	return a.Total - a.Sites - a.Parts - a.Skipped - a.Other
}

// CheckAccounts returns an error if a reader lost a record or counted it twice. Tests and fuzz targets call it after
// each file that they read.
func (r *Result) CheckAccounts() error {
	for _, a := range r.Accounts {
		if missing := a.Missing(); missing != 0 {
			return fmt.Errorf("%s: %d of %d records (%s) are unaccounted for", a.Container, missing, a.Total, a.Unit)
		}
	}
	return nil
}

// openAccount starts the account of a container, for instance of a sheet. unit is the kind of its records, such as
// "row". All records count in this account until openAccount is called again.
func (b *resultBuilder) openAccount(container, unit string) {
	b.res.Accounts = append(b.res.Accounts, Account{Container: container, Unit: unit})
}

// account returns the account that openAccount started last. If there is none, it starts an account for the file. The
// pointer is valid until openAccount is called again.
func (b *resultBuilder) account() *Account {
	if len(b.res.Accounts) == 0 {
		b.openAccount("", "record")
	}
	return &b.res.Accounts[len(b.res.Accounts)-1]
}

// recordMark stores how many placemarks and how many skipped placemarks a result has before a record is read.
type recordMark struct{ placemarks, skipped int }

// startRecord adds a record to the total of the current account. Call it before the record is read, and pass the
// returned mark to countRecord afterwards.
func (b *resultBuilder) startRecord() recordMark {
	b.account().Total++
	return recordMark{len(b.res.Placemarks), b.res.Skipped}
}

// countRecord adds a record to the current account after the record was read. since is the mark that startRecord
// returned before. If placemarks were added to the result since then, the record counts as a site. Otherwise it
// counts as skipped if there is a new warning about a skipped placemark. If there is neither, the record is in no
// count, and CheckAccounts reports it as lost.
func (b *resultBuilder) countRecord(since recordMark) {
	account := b.account()
	added := b.res.Placemarks[since.placemarks:]
	if len(added) == 0 {
		if b.res.Skipped > since.skipped {
			account.Skipped++
		}
		return
	}
	account.Sites++
	if b.hasZero && allAtZero(added) {
		b.zeroes = append(b.zeroes, len(b.res.Accounts)-1)
	}
}
