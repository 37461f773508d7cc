package store

// clearedTables are the tables that a reset empties, in an order that respects foreign
// keys. A test checks that each table is in clearedTables or retainedTables.
var clearedTables = []string{
	"callback_attempts",
	"webhook_deliveries",
	"webhooks",
	"planning",
	"flight_permissions",
	"dataset_files",
	"datasets",
	"files",
	"packages",
	"missions",
	"quotes",
	"notices",
	"order_details",
	"order_notifications",
	"idempotency",
	"orders",
	"key_requests",
}

// retainedTables are the tables whose rows a reset keeps. A reset changes only one of them: in the
// table sequences, the numbers start from the beginning again.
var retainedTables = []string{
	"accounts",
	"api_keys",
	"settings",
	"sequences",
	"processes",
	"operators",
	"audit",
	"invitations",
	"requests",
}

// Clear deletes everything except the retained tables. The numbers in the codes of orders
// and missions start from the beginning again. The IDs of new rows in the database do not:
// they are greater than the IDs of all deleted rows.
func (tx *Tx) Clear() error {
	for _, table := range clearedTables {
		if err := tx.execute(`DELETE FROM ` + table); err != nil {
			return err
		}
	}
	tx.reserved = nil
	tx.sequences = nil
	return tx.execute(`UPDATE sequences SET last = first`)
}
