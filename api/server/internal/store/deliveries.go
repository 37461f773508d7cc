package store

import (
	"context"
	"time"

	"flightdesk/api"
)

// Planning is a version of a mission's flight date.
type Planning struct {
	ID          int64                `column:"id"`
	MissionID   int64                `column:"mission_id"`
	Version     int                  `column:"version"` // from 1
	Status      api.SchedulingStatus `column:"scheduling_status"`
	FlightDate  time.Time            `column:"flight_date"`
	FlightZone  int                  `column:"flight_zone"` // UTC offset as sent, in seconds
	ScheduledBy *string              `column:"scheduled_by"`
	Note        *string              `column:"note"`
	Created     time.Time            `column:"created"`
}

// Permission is the flight permission of a mission.
type Permission struct {
	MissionID int64                `column:"mission_id"`
	Status    api.PermissionStatus `column:"status"`
	Authority *string              `column:"authority"`
	Reference *string              `column:"reference"`
	ValidFrom time.Time            `column:"valid_from"` // zero if unknown
	ValidTo   time.Time            `column:"valid_to"`
	FromZone  int                  `column:"from_zone"` // UTC offset as sent, in seconds
	ToZone    int                  `column:"to_zone"`
	PermitID  *int64               `column:"permit_id"` // file of the permit; nil if there is none
	Updated   time.Time            `column:"updated"`
}

// Package is a delivery of a mission's data.
type Package struct {
	ID        int64              `column:"id"`
	UUID      string             `column:"uuid"`
	MissionID int64              `column:"mission_id"`
	Version   int                `column:"version"` // from 1
	Name      string             `column:"name"`
	Status    api.DeliveryStatus `column:"status"`
	FileCount int                `column:"file_count"`
	TotalSize int64              `column:"total_size"` // bytes
	Created   time.Time          `column:"created"`
}

// File is the description of a file. The content is in the file store.
type File struct {
	ID        int64           `column:"id"`
	UUID      string          `column:"uuid"`
	PackageID *int64          `column:"package_id"` // nil if the file is in no package, such as a permit
	Position  int             `column:"position"`   // in its package, from 0
	Name      string          `column:"name"`
	MediaType string          `column:"media_type"`
	Kind      api.Deliverable `column:"kind"`
	Size      int64           `column:"size"`   // bytes
	SHA256    string          `column:"sha256"` // hexadecimal; empty until the file is first opened
	Place     string          `column:"place"`  // key in the file store
	Created   time.Time       `column:"created"`
}

var (
	planningTable   = newRecordTable[*Planning]("planning").listed(`WHERE mission_id = $1`, "version", descending)
	packageTable    = newRecordTable[*Package]("packages").listed(`WHERE mission_id = $1`, "version", descending)
	permissionTable = newRecordTable[*Permission]("flight_permissions")
	fileTable       = newRecordTable[*File]("files").listed(`WHERE package_id = $1`, "position", ascending)
)

// PackageByUUID returns the package with the given UUID and its order, or ErrNotFound. The order
// can belong to any account.
func (r *storeReader) PackageByUUID(ctx context.Context, uuid string) (o Order, p Package, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		var err error
		p, err = findRow(ctx, q, packageTable, ofUUID, uuid)
		if err != nil {
			return err
		}
		o, err = findRow(ctx, q, orderTable,
			`WHERE id = (SELECT order_id FROM missions WHERE id = $1)`, p.MissionID)
		return err
	})
	return o, p, err
}

// Permission returns the flight permission of a mission.
func (r *storeReader) Permission(ctx context.Context, missionID int64) (Permission, error) {
	return findRow(ctx, r, permissionTable, `WHERE mission_id = $1`, missionID)
}

// InsertPlanning adds the next version of a mission's flight date, and sets its ID and
// version.
func (tx *Tx) InsertPlanning(p *Planning) error {
	if err := tx.nextVersion("planning", p.MissionID, &p.Version); err != nil {
		return err
	}
	return insertRows(tx, planningTable, p)
}

// nextVersion sets *version to the next version number of a mission's records in a table.
func (tx *Tx) nextVersion(table string, missionID int64, version *int) error {
	return tx.queryRow(`SELECT COALESCE(MAX(version), 0) + 1 FROM `+table+` WHERE mission_id = $1`,
		[]any{missionID}, version)
}

// InsertPackage adds the next package of a mission, and sets its ID and version.
func (tx *Tx) InsertPackage(p *Package) error {
	if err := tx.nextVersion("packages", p.MissionID, &p.Version); err != nil {
		return err
	}
	return insertRows(tx, packageTable, p)
}

// AcceptPackages marks a mission's packages as accepted.
func (tx *Tx) AcceptPackages(missionID int64) error {
	return tx.execute(`UPDATE packages SET status = $1 WHERE mission_id = $2`, api.DeliveryAccepted, missionID)
}

// SetFileDigest saves the SHA-256 digest of a file. Sample files have no digest until they are
// first opened.
func (tx *Tx) SetFileDigest(id int64, sha256 string) error {
	return tx.execute(`UPDATE files SET sha256 = $1 WHERE id = $2`, sha256, id)
}
