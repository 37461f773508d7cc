package fetch

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
)

// File is one file of a package, as the service lists it.
type File struct {
	ID        string // the same in every listing
	Name      string // as the service gives it
	Product   api.Deliverable
	MediaType string
	Size      int64            // bytes; -1 where it is not known
	URL       string           // signed link; never shown
	Listed    time.Time        // when the link was handed out, by the local clock
	Extra     api.ExtraMembers // members that the service sent beside these
}

// PackageInfo says which package one is.
type PackageInfo struct {
	ID      string    `json:"package"` // the same in every listing; of a delivery package its uuid
	Kind    string    `json:"kind"`    // "delivery", "order" or "dataset"
	Name    string    `json:"name,omitempty"`
	Version int       `json:"version,omitempty"` // of a delivery package, from 1
	Created time.Time `json:"created,omitzero"`
	Order   string    `json:"order,omitempty"`   // code or id
	Mission string    `json:"mission,omitempty"` // code
	// MissionUID is the mission's uuid, with which its packages are listed.
	MissionUID string `json:"missionUid,omitempty"`
}

// Package is what is fetched into one folder.
type Package struct {
	PackageInfo
	Extra   api.ExtraMembers // members that the service sent beside these
	Service string           // address of the interface that lists it
	Folder  []string         // names of the folders below [Options.Dir]; made safe
	Files   []File

	// List returns the files with fresh links. Without it, links that have
	// expired cannot be renewed.
	List func(context.Context) ([]File, error)
}

// OnlyProducts returns the package with the files of some delivery products; with none
// given, as it is.
func (p Package) OnlyProducts(products ...api.Deliverable) Package {
	if len(products) == 0 {
		return p
	}
	files := slices.Clone(p.Files)
	p.Files = slices.DeleteFunc(files, func(f File) bool { return !slices.Contains(products, f.Product) })
	return p
}

// WithoutFilesOf returns the package without the files that others have: as many of a
// product and name as those together.
func (p Package) WithoutFilesOf(others ...Package) Package {
	type known struct {
		product api.Deliverable
		name    string
	}
	have := map[known]int{}
	for _, other := range others {
		for _, f := range other.Files {
			have[known{f.Product, f.Name}]++
		}
	}
	p.Files = slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool {
		have[known{f.Product, f.Name}]--
		return have[known{f.Product, f.Name}] >= 0
	})
	return p
}

// TotalSize returns the sum of the files' sizes in bytes; exact is false where some are
// not known.
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
