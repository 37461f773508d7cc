package store

import "testing"

func TestPlacesWithoutNumbers(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1`:                            `SELECT 1`,
		`VALUES ($1, $2), ($3, $4 + 0)`:       `VALUES (?, ?), (?, ? + 0)`,
		`SET a = $1 WHERE b = $2 AND a <> $1`: `SET a = $1 WHERE b = $2 AND a <> $1`,
		`a = $2 AND b = $1`:                   `a = $2 AND b = $1`,
		rowPlaceholders(1, 11):                `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	} {
		if got := unnumberedQuery(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
