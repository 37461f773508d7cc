package store

import (
	"context"
	"database/sql"
	"time"

	"flightdesk/api"
)

// Planning is one version of a mission's schedule.
type Planning struct {
	ID          int64
	MissionID   int64
	Version     int // from 1
	Status      api.SchedulingStatus
	FlightDate  time.Time
	ScheduledBy *string
	Note        *string
	Created     time.Time
}

// Place returns the version's place in the history of its mission.
func (p Planning) Place() Position { return Position{ID: int64(p.Version)} }

// Permission is a mission's flight permission.
type Permission struct {
	MissionID int64
	Status    api.PermissionStatus
	Authority *string
	Reference *string
	ValidFrom time.Time // zero: not said
	ValidTo   time.Time
	PermitID  *int64 // of the file; nil: there is no document
	Updated   time.Time
}

// Package is what was delivered of a mission at one time.
type Package struct {
	ID        int64
	UUID      string
	MissionID int64
	Version   int // from 1
	Name      string
	Status    api.DeliveryStatus
	FileCount int
	TotalSize int64 // bytes
	Created   time.Time
}

// Place returns the package's place in the list of its mission.
func (p Package) Place() Position { return Position{ID: int64(p.Version)} }

// File is what is known of a file.
type File struct {
	ID        int64
	UUID      string
	PackageID *int64 // nil: a permit
	Position  int    // in its package, from 0
	Name      string
	MediaType string
	Kind      api.Deliverable
	Size      int64  // bytes
	SHA256    string // hexadecimal; "": not known until it is opened
	Place     string // key in the file store
	Created   time.Time
}

// Rank returns the file's place in the list of its package.
func (f File) Rank() Position { return Position{ID: int64(f.Position)} }

const (
	planningColumns      = `id, mission_id, version, scheduling_status, flight_date, scheduled_by, note, created`
	packageColumns       = `id, uuid, mission_id, version, name, status, file_count, total_size, created`
	permissionColumns    = `mission_id, status, authority, reference, valid_from, valid_to, permit_id, updated`
	qualifiedFileColumns = `f.id, f.uuid, f.package_id, f.position, f.name, f.media_type, f.kind, f.size, f.sha256, f.place, f.created`
	fileColumns          = `id, uuid, package_id, position, name, media_type, kind, size, sha256, place, created`
)

var (
	planningList = newListQueries(`SELECT `+planningColumns+` FROM planning WHERE mission_id = $1`, "version", true)
	packageList  = newListQueries(`SELECT `+packageColumns+` FROM packages WHERE mission_id = $1`, "version", true)
	fileList     = newListQueries(`SELECT `+fileColumns+` FROM files WHERE package_id = $1`, "position", false)
)

func scanPlanning(rows *sql.Rows) (p Planning, err error) {
	err = rows.Scan(&p.ID, &p.MissionID, &p.Version, &p.Status, instantColumn{&p.FlightDate}, &p.ScheduledBy, &p.Note,
		instantColumn{&p.Created})
	return p, err
}

func scanPackage(rows *sql.Rows) (p Package, err error) {
	err = rows.Scan(&p.ID, &p.UUID, &p.MissionID, &p.Version, &p.Name, &p.Status, &p.FileCount, &p.TotalSize,
		instantColumn{&p.Created})
	return p, err
}

func (f *File) scanPlaces() []any {
	return []any{
		&f.ID, &f.UUID, &f.PackageID, &f.Position, &f.Name, &f.MediaType, &f.Kind, &f.Size, &f.SHA256, &f.Place,
		instantColumn{&f.Created},
	}
}

func scanFile(rows *sql.Rows) (f File, err error) {
	err = rows.Scan(f.scanPlaces()...)
	return f, err
}

func scanPermission(rows *sql.Rows) (p Permission, err error) {
	err = rows.Scan(&p.MissionID, &p.Status, &p.Authority, &p.Reference, instantColumn{&p.ValidFrom}, instantColumn{&p.ValidTo},
		&p.PermitID, instantColumn{&p.Updated})
	return p, err
}

// Planning returns a window of a mission's planning history, newest first.
func (r *storeReader) Planning(ctx context.Context, missionID int64, w ListWindow) ([]Planning, error) {
	return readList(ctx, r, planningList, scanPlanning, missionID, w)
}

// Packages returns a window of a mission's packages, newest first.
func (r *storeReader) Packages(ctx context.Context, missionID int64, w ListWindow) ([]Package, error) {
	return readList(ctx, r, packageList, scanPackage, missionID, w)
}

// Files returns a window of a package's files, as they were delivered.
func (r *storeReader) Files(ctx context.Context, packageID int64, w ListWindow) ([]File, error) {
	return readList(ctx, r, fileList, scanFile, packageID, w)
}

// FileByID returns one file.
func (r *storeReader) FileByID(ctx context.Context, id int64) (File, error) {
	return singleRow(ctx, r, scanFile, `SELECT `+fileColumns+` FROM files WHERE id = $1`, id)
}

// PackageByUUID returns a package of any account and the order it belongs to.
func (r *storeReader) PackageByUUID(ctx context.Context, uuid string) (o Order, p Package, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if p, err = singleRow(ctx, q, scanPackage, `SELECT `+packageColumns+` FROM packages WHERE uuid = $1`, uuid); err != nil {
			return err
		}
		o, err = singleRow(ctx, q, scanOrder, `SELECT `+orderColumns+` FROM orders
			WHERE id = (SELECT order_id FROM missions WHERE id = $1)`, p.MissionID)
		return err
	})
	return o, p, err
}

// Permission returns a mission's flight permission.
func (r *storeReader) Permission(ctx context.Context, missionID int64) (Permission, error) {
	return singleRow(ctx, r, scanPermission, `SELECT `+permissionColumns+` FROM flight_permissions WHERE mission_id = $1`, missionID)
}

// InsertPlanning adds the next version of a mission's schedule, and sets its
// ID and version.
func (tx *Tx) InsertPlanning(p *Planning) error {
	return tx.queryRow(`INSERT INTO planning (mission_id, version, scheduling_status, flight_date, scheduled_by, note, created)
		VALUES ($1, (SELECT COALESCE(MAX(version), 0) + 1 FROM planning WHERE mission_id = $1), $2, $3, $4, $5, $6)
		RETURNING id, version`,
		[]any{p.MissionID, p.Status, toMillis(p.FlightDate), p.ScheduledBy, p.Note, toMillis(p.Created)}, &p.ID, &p.Version)
}

// InsertPackage adds the next package of a mission, and sets its ID and
// version.
func (tx *Tx) InsertPackage(p *Package) error {
	return tx.queryRow(`INSERT INTO packages (uuid, mission_id, version, name, status, file_count, total_size, created)
		VALUES ($1, $2, (SELECT COALESCE(MAX(version), 0) + 1 FROM packages WHERE mission_id = $2), $3, $4, $5, $6, $7)
		RETURNING id, version`,
		[]any{p.UUID, p.MissionID, p.Name, p.Status, p.FileCount, p.TotalSize, toMillis(p.Created)}, &p.ID, &p.Version)
}

// AcceptPackages marks a mission's packages as accepted.
func (tx *Tx) AcceptPackages(missionID int64) error {
	return tx.execute(`UPDATE packages SET status = $1 WHERE mission_id = $2`, api.DeliveryAccepted, missionID)
}

// InsertFile adds what is known of a file and sets its ID.
func (tx *Tx) InsertFile(f *File) error {
	return tx.queryRow(`INSERT INTO files (uuid, package_id, position, name, media_type, kind, size, sha256, place, created)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
		[]any{
			f.UUID, f.PackageID, f.Position, f.Name, f.MediaType, f.Kind, f.Size, f.SHA256, f.Place, toMillis(f.Created),
		}, &f.ID)
}

// SetPermission records a mission's flight permission in place of what was
// recorded before.
func (tx *Tx) SetPermission(p *Permission) error {
	return tx.execute(`INSERT INTO flight_permissions
		(mission_id, status, authority, reference, valid_from, valid_to, permit_id, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (mission_id) DO UPDATE SET status = excluded.status, authority = excluded.authority,
		reference = excluded.reference, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
		permit_id = excluded.permit_id, updated = excluded.updated`,
		p.MissionID, p.Status, p.Authority, p.Reference, toMillis(p.ValidFrom), toMillis(p.ValidTo), p.PermitID, toMillis(p.Updated))
}
