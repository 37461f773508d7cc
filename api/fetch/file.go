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

// File is one file of a package, as listed by the service.
type File struct {
	ID        string // the same in every listing
	Name      string // name from the service
	Product   api.Deliverable
	MediaType string
	Size      int64            // bytes; -1 if unknown
	URL       string           // signed link; never shown
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

// WithoutFilesOf returns the package without the files that are also in other packages. Two files are the
// same if their product and name are equal. If p has the same file several times, each file of the other
// packages removes it once.
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

const (
	// maxName is the maximum length of a name in bytes. File systems allow 255, which leaves
	// room for a number and the endings of incomplete files.
	maxName   = 200
	maxEnding = 16

	manifestName = "manifest.json"
	partEnding   = ".part"
	stateEnding  = ".part.json"
	newEnding    = ".part.json.new"
)

// SafeName turns a name from the service into a name that is valid on every file system and
// contains no folders. It removes control, hidden and reordering characters, and avoids device
// names of Windows and names that shells or listings treat specially. The result is in NFC and
// has at most 200 bytes.
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

// isDeviceName reports whether a name, given the text before its first dot, is a device on Windows.
func isDeviceName(stem string) bool {
	stem = strings.ToUpper(strings.TrimSpace(stem))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	number, isPort := strings.CutPrefix(stem, "COM")
	if !isPort {
		number, isPort = strings.CutPrefix(stem, "LPT")
	}
	isDigit := utf8.RuneCountInString(number) == 1 && strings.ContainsAny(number, "0123456789¹²³")
	return isPort && isDigit
}

// fileExtension returns the extension of a name with its dot, or "" if it is too long.
func fileExtension(name string) string {
	end := path.Ext(name)
	if len(end) > maxEnding || end == name {
		return ""
	}
	return end
}

// shortenName shortens a name to n bytes and keeps its extension.
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

// takenNames are the used names in a folder, including the names of incomplete files.
type takenNames map[string]bool

// foldName returns the form in which names are compared, because some file systems ignore the case
// of letters or normalize Unicode.
func foldName(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// allNames returns the name of a file, and the names of the temporary files that its download uses.
func allNames(name string) [4]string {
	name = foldName(name)
	return [4]string{name, name + partEnding, name + stateEnding, name + newEnding}
}

// reserveName returns name, or a numbered variant if it is taken, and reserves it.
func (n takenNames) reserveName(name string) string {
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
	for _, used := range allNames(name) {
		if n[used] {
			return true
		}
	}
	return false
}

func (n takenNames) addName(name string) {
	for _, used := range allNames(name) {
		n[used] = true
	}
}

// newTakenNames returns the names in a folder that has only a manifest and a lock.
func newTakenNames() takenNames {
	return takenNames{
		manifestName:          true,
		manifestName + ".new": true,
		lockName:              true,
	}
}
