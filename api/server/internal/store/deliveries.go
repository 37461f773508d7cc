package store

import (
	"context"
	"time"

	"flightdesk/api"
)

// Planning is one version of a mission's schedule.
type Planning struct {
	ID          int64                `column:"id"`
	MissionID   int64                `column:"mission_id"`
	Version     int                  `column:"version"` // from 1
	Status      api.SchedulingStatus `column:"scheduling_status"`
	FlightDate  time.Time            `column:"flight_date"`
	FlightZone  int                  `column:"flight_zone"` // seconds east of UTC, as sent
	ScheduledBy *string              `column:"scheduled_by"`
	Note        *string              `column:"note"`
	Created     time.Time            `column:"created"`
}

// Place returns the version's place in the history of its mission.
func (p Planning) Place() Position { return Position{ID: int64(p.Version)} }

// Permission is a mission's flight permission.
type Permission struct {
	MissionID int64                `column:"mission_id"`
	Status    api.PermissionStatus `column:"status"`
	Authority *string              `column:"authority"`
	Reference *string              `column:"reference"`
	ValidFrom time.Time            `column:"valid_from"` // zero: not said
	ValidTo   time.Time            `column:"valid_to"`
	FromZone  int                  `column:"from_zone"` // seconds east of UTC, as sent
	ToZone    int                  `column:"to_zone"`
	PermitID  *int64               `column:"permit_id"` // of the file; nil: there is no document
	Updated   time.Time            `column:"updated"`
}

// Package is what was delivered of a mission at one time.
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

// Place returns the package's place in the list of its mission.
func (p Package) Place() Position { return Position{ID: int64(p.Version)} }

// File is what is known of a file.
type File struct {
	ID        int64           `column:"id"`
	UUID      string          `column:"uuid"`
	PackageID *int64          `column:"package_id"` // nil: a permit
	Position  int             `column:"position"`   // in its package, from 0
	Name      string          `column:"name"`
	MediaType string          `column:"media_type"`
	Kind      api.Deliverable `column:"kind"`
	Size      int64           `column:"size"`   // bytes
	SHA256    string          `column:"sha256"` // hexadecimal; "": not known until it is opened
	Place     string          `column:"place"`  // key in the file store
	Created   time.Time       `column:"created"`
}

// Rank returns the file's place in the list of its package.
func (f File) Rank() Position { return Position{ID: int64(f.Position)} }

var (
	planningTable   = newRecordTable[Planning]("planning")
	packageTable    = newRecordTable[Package]("packages")
	permissionTable = newRecordTable[Permission]("flight_permissions")
	fileTable       = newRecordTable[File]("files")

	planningList = newListQueries(planningTable.selectFrom(`WHERE mission_id = $1`), "version", true)
	packageList  = newListQueries(packageTable.selectFrom(`WHERE mission_id = $1`), "version", true)
	fileList     = newListQueries(fileTable.selectFrom(`WHERE package_id = $1`), "position", false)
)

// Planning returns a window of a mission's planning history, newest first.
func (r *storeReader) Planning(ctx context.Context, missionID int64, w ListWindow) ([]Planning, error) {
	return readList(ctx, r, planningList, planningTable.scanRow, missionID, w)
}

// Packages returns a window of a mission's packages, newest first.
func (r *storeReader) Packages(ctx context.Context, missionID int64, w ListWindow) ([]Package, error) {
	return readList(ctx, r, packageList, packageTable.scanRow, missionID, w)
}

// Files returns a window of a package's files, as they were delivered.
func (r *storeReader) Files(ctx context.Context, packageID int64, w ListWindow) ([]File, error) {
	return readList(ctx, r, fileList, fileTable.scanRow, packageID, w)
}

// FileByID returns one file.
func (r *storeReader) FileByID(ctx context.Context, id int64) (File, error) {
	return findRow(ctx, r, fileTable, ofID, id)
}

// PackageByUUID returns a package of any account and the order it belongs to.
func (r *storeReader) PackageByUUID(ctx context.Context, uuid string) (o Order, p Package, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if p, err = findRow(ctx, q, packageTable, ofUUID, uuid); err != nil {
			return err
		}
		o, err = findRow(ctx, q, orderTable, `WHERE id = (SELECT order_id FROM missions WHERE id = $1)`, p.MissionID)
		return err
	})
	return o, p, err
}

// Permission returns a mission's flight permission.
func (r *storeReader) Permission(ctx context.Context, missionID int64) (Permission, error) {
	return findRow(ctx, r, permissionTable, `WHERE mission_id = $1`, missionID)
}

// InsertPlanning adds the next version of a mission's schedule, and sets its
// ID and version.
func (tx *Tx) InsertPlanning(p *Planning) error {
	if err := tx.nextVersion("planning", p.MissionID, &p.Version); err != nil {
		return err
	}
	return insertRows(tx, planningTable, p)
}

// nextVersion finds the version that the next of a mission's records has.
func (tx *Tx) nextVersion(table string, missionID int64, version *int) error {
	return tx.queryRow(
		`SELECT COALESCE(MAX(version), 0) + 1 FROM `+table+` WHERE mission_id = $1`,
		[]any{missionID},
		version,
	)
}

// InsertPackage adds the next package of a mission, and sets its ID and
// version.
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

// InsertFile adds what is known of a file and sets its ID.
func (tx *Tx) InsertFile(f *File) error {
	return insertRows(tx, fileTable, f)
}

// SetPermission records a mission's flight permission in place of what was
// recorded before.
func (tx *Tx) SetPermission(p *Permission) error {
	return replaceRow(tx, permissionTable, p)
}
