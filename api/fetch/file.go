package fetch

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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

const (
	// maxName is the longest name given, in bytes. The 255 that file systems
	// take leave room for a number and the endings of unfinished files.
	maxName   = 200
	maxEnding = 16

	manifestName = "manifest.json"
	partEnding   = ".part"
	stateEnding  = ".part.json"
	newEnding    = ".part.json.new"
)

// SafeName makes a name from outside one that every file system takes and that
// leads nowhere: no folders, no control, hidden or reordering characters, none
// of the names that Windows keeps for devices, none that a shell or a listing
// treats in a special way. It is in NFC and at most 200 bytes long.
func SafeName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(safeRune, norm.NFC.String(name))
	name = strings.TrimSpace(strings.TrimRight(name, ". "))
	if name != "" && strings.ContainsRune(".-~", rune(name[0])) {
		name = "_" + name
	}
	stem, _, _ := strings.Cut(name, ".")
	if isDeviceName(stem) {
		name = "_" + name
	}
	if name == "" {
		name = "file"
	}
	return shortenName(name, maxName)
}

func safeRune(r rune) rune {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return -1
	case unicode.IsControl(r),
		strings.ContainsRune(`<>:"|?*`, r),
		r == utf8.RuneError,
		r == '\u2028',
		r == '\u2029':
		return '_'
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// isDeviceName reports whether Windows takes a name before its first dot for a
// device.
func isDeviceName(stem string) bool {
	stem = strings.ToUpper(strings.TrimSpace(stem))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	number, found := strings.CutPrefix(stem, "COM")
	if !found {
		number, found = strings.CutPrefix(stem, "LPT")
	}
	return found && utf8.RuneCountInString(number) == 1 && strings.ContainsAny(number, "0123456789¹²³")
}

// fileExtension returns the end of a name that says what kind of file it is.
func fileExtension(name string) string {
	end := path.Ext(name)
	if len(end) > maxEnding || end == name {
		return ""
	}
	return end
}

// shortenName shortens a name to n bytes and keeps its ending.
func shortenName(name string, n int) string {
	if len(name) <= n {
		return name
	}
	end := fileExtension(name)
	stem := name[:n-len(end)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, ". ") + end
}

// takenNames are those taken in one folder, also by files that are not whole yet.
type takenNames map[string]bool

// foldName returns the form in which names are compared: some file systems take
// letters that differ in case for the same, some compose them on their own.
func foldName(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

func allNames(name string) [4]string {
	name = foldName(name)
	return [4]string{name, name + partEnding, name + stateEnding, name + newEnding}
}

// takeName makes a name one that is not taken yet, and takes it.
func (n takenNames) takeName(name string) string {
	free := name
	for i := 2; n.isTaken(free); i++ {
		number := " (" + strconv.Itoa(i) + ")"
		short := shortenName(name, maxName-len(number))
		end := fileExtension(short)
		free = strings.TrimSuffix(short, end) + number + end
	}
	n.addName(free)
	return free
}

func (n takenNames) isTaken(name string) bool {
	for _, one := range allNames(name) {
		if n[one] {
			return true
		}
	}
	return false
}

func (n takenNames) addName(name string) {
	for _, one := range allNames(name) {
		n[one] = true
	}
}

// newTakenNames returns the names of a folder in which only the manifest's is taken.
func newTakenNames() takenNames {
	return takenNames{
		manifestName:          true,
		manifestName + ".new": true,
		lockName:              true,
	}
}
