package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"flightdesk/api/internal/tolerant"
)

// PlanningEntry is one version of a mission's schedule.
type PlanningEntry struct {
	Version          int              `json:"version"` // from 1
	SchedulingStatus SchedulingStatus `json:"schedulingStatus"`
	FlightDate       Time             `json:"flightDate"`
	ScheduledBy      *string          `json:"scheduledBy"`
	Note             *string          `json:"note"`
	CreatedAt        Time             `json:"createdAt"`
	Extra            ExtraMembers     `json:",embed"`
}

// FlightPermission is the permission to fly a mission.
type FlightPermission struct {
	MissionUID    string           `json:"missionUid"`
	Status        PermissionStatus `json:"status"`
	Authority     *string          `json:"authority"`
	Reference     *string          `json:"reference"`
	ValidFrom     Time             `json:"validFrom"`
	ValidTo       Time             `json:"validTo"`
	PermitFileURL *string          `json:"permitFileUrl,omitzero"` // signed link for 24 hours; nil without a permit
	UpdatedAt     Time             `json:"updatedAt"`
	Extra         ExtraMembers     `json:",embed"`
}

// DeliveryPackage is a set of delivered files of a mission.
type DeliveryPackage struct {
	UUID       string         `json:"uuid"`
	MissionUID string         `json:"missionUid"`
	Name       string         `json:"name"`
	Version    int            `json:"version"` // from 1
	Status     DeliveryStatus `json:"status"`
	FileCount  int            `json:"fileCount"` // -1 if unknown
	TotalSize  int64          `json:"totalSize"` // bytes; -1 if unknown
	CreatedAt  Time           `json:"createdAt"`
	Extra      ExtraMembers   `json:",embed"`
}

// DeliveryFile is one file of a package.
type DeliveryFile struct {
	UUID         string         `json:"uuid"`
	FileName     string         `json:"fileName"`
	FileType     string         `json:"fileType"` // media type
	FileDataType Deliverable    `json:"fileDataType"`
	FileSize     int64          `json:"fileSize"` // bytes; -1 if unknown
	Status       DeliveryStatus `json:"status"`
	DownloadURL  string         `json:"downloadUrl"` // signed link for 24 hours
	Extra        ExtraMembers   `json:",embed"`
}

// Planning returns all versions of a mission's schedule, newest first.
func (s *MissionsService) Planning(ctx context.Context, uuid string) ([]PlanningEntry, error) {
	return readAll[PlanningEntry](ctx, s.c, NewOperation("read planning", "GET missions/{}/planning", uuid))
}

// FlightPermission returns a mission's flight permission, or an [*Error] with status 404 if
// none is recorded.
func (s *MissionsService) FlightPermission(ctx context.Context, uuid string) (*FlightPermission, error) {
	op := NewOperation("read flight permission", "GET missions/{}/flight-permission", uuid)
	body, err := s.c.perform(ctx, &op)
	if err != nil {
		return nil, err
	}
	if tolerant.IsBlank(body) {
		return nil, &Error{
			Op:      op.name,
			Status:  http.StatusNotFound,
			Code:    CodeNotFound,
			Message: "no flight permission recorded",
		}
	}
	var found []FlightPermission
	if err := readRecord(op, body, &found); err != nil {
		return nil, err
	}
	p := &found[0]
	if p.PermitFileURL != nil {
		*p.PermitFileURL = s.c.resolveLink(*p.PermitFileURL)
	}
	return p, nil
}

// MaxPermitBytes is the maximum size of a permit in bytes.
const MaxPermitBytes = 25 << 20

// Permit downloads the document of a flight permission by its signed link, without sending
// the API key.
func (s *MissionsService) Permit(ctx context.Context, p *FlightPermission) ([]byte, error) {
	if p.PermitFileURL == nil {
		return nil, errors.New("this flight permission has no permit")
	}
	content, err := s.c.openLink(ctx, *p.PermitFileURL)
	if err != nil {
		return nil, fmt.Errorf("download flight permit: %w", err)
	}
	defer func() { _ = content.Close() }()
	document, err := io.ReadAll(io.LimitReader(content, MaxPermitBytes+1))
	if err != nil {
		return nil, fmt.Errorf("download flight permit: %w", err)
	}
	if len(document) > MaxPermitBytes {
		return nil, fmt.Errorf("the flight permit is larger than %d MiB", MaxPermitBytes>>20)
	}
	return document, nil
}

// Packages returns all delivery packages of a mission, newest first.
func (s *MissionsService) Packages(ctx context.Context, uuid string) ([]DeliveryPackage, error) {
	op := NewOperation("list delivery packages", "GET missions/{}/delivery-packages", uuid)
	return readAll[DeliveryPackage](ctx, s.c, op)
}

// FilesService lists delivered files.
type FilesService serviceBase

// List returns all files of a delivery package, with new links.
func (s *FilesService) List(ctx context.Context, packageUUID string) ([]DeliveryFile, error) {
	op := NewOperation("list files", "GET delivery-packages/{}/files", packageUUID)
	files, err := readAll[DeliveryFile](ctx, s.c, op)
	for i := range files {
		files[i].DownloadURL = s.c.resolveLink(files[i].DownloadURL)
	}
	return files, err
}

// readAll reads a whole list, which the service should send in one page but may divide.
// The rows read before an error are returned with it.
func readAll[T any](ctx context.Context, c *Connection, op Operation) ([]T, error) {
	items := []T{}
	for item, err := range ListAll[T](ctx, c, op, 0) {
		if err != nil {
			return items, err
		}
		items = append(items, *item)
	}
	return items, nil
}

// Download writes the content of a file to w and returns the number of bytes written. It uses
// the signed link of the file, without sending the API key; an expired link is an error. A
// size other than [DeliveryFile.FileSize] is an error, and so is a broken connection. Package
// fetch can resume downloads and check digests.
func (s *FilesService) Download(ctx context.Context, f *DeliveryFile, w io.Writer) (int64, error) {
	content, err := s.c.openLink(ctx, f.DownloadURL)
	if err != nil {
		return 0, fmt.Errorf("download %s: %w", f.FileName, err)
	}
	defer func() { _ = content.Close() }()
	n, err := io.Copy(w, content)
	if err != nil {
		return n, fmt.Errorf("download %s: %w", f.FileName, withoutLink(err))
	}
	if f.FileSize >= 0 && n != f.FileSize {
		return n, fmt.Errorf("download %s: it has %d bytes instead of %d", f.FileName, n, f.FileSize)
	}
	return n, nil
}

// openLink opens a signed link. Its errors do not contain the link.
func (c *Connection) openLink(ctx context.Context, link string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, errors.New("the link is not a valid address")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutLink(err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("link rejected (HTTP %d); list it again for a new link", resp.StatusCode)
	}
	return resp.Body, nil
}

// withoutLink removes the address from an error, because its token gives access to the file.
func withoutLink(err error) error {
	var lost *url.Error
	if errors.As(err, &lost) {
		return lost.Err
	}
	return err
}
