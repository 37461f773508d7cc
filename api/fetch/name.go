package fetch

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
	return takenNames{manifestName: true, manifestName + ".new": true, lockName: true}
}
