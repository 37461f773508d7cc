package fetch

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
)

// File is one file of a package, as listed by the service.
type File struct {
	ID        string // the same in every listing
	Name      string // name from the service
	Product   api.Deliverable
	MediaType string
	Size      int64            // bytes; -1 if unknown
	URL       string           // signed link; it gives access to the file, so never show it
	Listed    time.Time        // when the link was issued, by the local clock
	Extra     api.ExtraMembers // other members sent by the service
}

// PackageInfo identifies and describes a package.
type PackageInfo struct {
	ID      string    `json:"package"` // the same in every listing; the UUID of a delivery package
	Kind    string    `json:"kind"`    // "delivery", "order" or "dataset"
	Name    string    `json:"name,omitempty"`
	Version int       `json:"version,omitempty"` // version of a delivery package, from 1
	Created time.Time `json:"created,omitzero"`
	Order   string    `json:"order,omitempty"`   // order code or ID
	Mission string    `json:"mission,omitempty"` // mission code
	// MissionUID is the UUID of the mission, which is needed to list its packages.
	MissionUID string `json:"missionUid,omitempty"`
}

// Package is a set of files that is downloaded into one folder.
type Package struct {
	PackageInfo
	Extra   api.ExtraMembers // other members sent by the service
	Service string           // address of the interface that lists the package
	Folder  []string         // names of nested folders below [Options.Dir]; the queue replaces unsafe characters
	Files   []File

	// List returns the files with new links. Without List, expired links cannot be renewed.
	List func(context.Context) ([]File, error)
}

// OnlyProducts returns the package with only the files of the given delivery products, or
// unchanged if no products are given.
func (p Package) OnlyProducts(products ...api.Deliverable) Package {
	if len(products) == 0 {
		return p
	}
	files := slices.Clone(p.Files)
	p.Files = slices.DeleteFunc(files, func(f File) bool { return !slices.Contains(products, f.Product) })
	return p
}

// WithoutFilesOf returns the package without the files that are also in other packages. Two files
// are the same if their product and name are equal. Each file of the other packages removes only
// one file, even if p has the same file several times.
func (p Package) WithoutFilesOf(others ...Package) Package {
	type fileKey struct {
		product api.Deliverable
		name    string
	}
	toRemove := map[fileKey]int{}
	for _, other := range others {
		for _, f := range other.Files {
			toRemove[fileKey{f.Product, f.Name}]++
		}
	}
	p.Files = slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool {
		key := fileKey{f.Product, f.Name}
		if toRemove[key] == 0 {
			return false
		}
		toRemove[key]--
		return true
	})
	return p
}

// TotalSize returns the sum of the known file sizes in bytes. exact is false if some sizes are
// unknown.
func (p Package) TotalSize() (sum int64, exact bool) {
	exact = true
	for _, f := range p.Files {
		if f.Size < 0 {
			exact = false
			continue
		}
		sum += f.Size
	}
	return sum, exact
}
