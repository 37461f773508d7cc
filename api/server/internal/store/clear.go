package store

import "database/sql"

// cleared are the tables that a reset empties, those that others refer to
// last. What is in none of the two lists must not be: a test looks.
var cleared = []string{
	"callback_attempts", "webhook_deliveries", "webhooks", "planning", "flight_permissions", "dataset_files", "datasets", "files", "packages", "missions",
	"quotes", "notices", "order_details", "order_notifications", "idempotency", "orders", "key_requests",
}

// retained are the tables that a reset leaves as they are. Sequences only begin
// anew.
var retained = []string{"accounts", "api_keys", "settings", "sequences", "processes"}

// Clear drops everything but accounts and keys. Sequences give the numbers
// again that they gave first; ids are not given twice.
func (tx *Tx) Clear() error {
	for _, table := range cleared {
		if err := tx.execute(`DELETE FROM ` + table); err != nil {
			return err
		}
	}
	tx.taken = nil
	return tx.execute(`UPDATE sequences SET last = first`)
}

func scanID(rows *sql.Rows) (id int64, err error) {
	err = rows.Scan(&id)
	return id, err
}

// FilePlaces returns the places of all files in the file store.
func (tx *Tx) FilePlaces() ([]string, error) {
	return collectRows(tx.ctx, tx, scanText, `SELECT place FROM files`)
}

// WebhookIDs returns the IDs of all endpoints.
func (tx *Tx) WebhookIDs() ([]int64, error) {
	return collectRows(tx.ctx, tx, scanID, `SELECT id FROM webhooks`)
}

// KeyByUUID returns one key.
func (tx *Tx) KeyByUUID(uuid string) (Key, error) {
	return findRow(tx.ctx, tx, keyTable, ofUUID, uuid)
}
