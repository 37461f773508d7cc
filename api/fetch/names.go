package fetch

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxName is the maximum length of a name in bytes. File systems allow 255 bytes. The rest is
	// for a number and for the extensions of incomplete files.
	maxName   = 200
	maxEnding = 16

	manifestName = "manifest.json"
	partEnding   = ".part"
	stateEnding  = ".part.json"
	newEnding    = ".part.json.new"
)

// SafeName turns a name from the service into a file name that is valid on every file system. It
// removes folders and invisible characters, such as characters that change the direction of text,
// and replaces control characters. It avoids device names of Windows, and names that a shell or a
// file listing treats specially. The result is in the Unicode form NFC and has at most 200 bytes.
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

// isDeviceName reports whether a file name is the name of a device on Windows, such as CON or COM1.
// stem is the part of the name before its first dot.
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

// newTakenNames returns the names that are used in an empty folder: the names of its manifest and
// lock.
func newTakenNames() takenNames {
	return takenNames{
		manifestName:          true,
		manifestName + ".new": true,
		lockName:              true,
	}
}

// numberedName returns the i-th candidate for the folder of a package. folders is the wanted path,
// one name for each level, and the first candidate. Later candidates have a number in the last
// name, such as "v1 (2)".
func numberedName(folders []string, i int) []string {
	if i == 1 {
		return folders
	}
	const numberLength = 8 // enough for " (99999)"
	last := len(folders) - 1
	numbered := slices.Clone(folders)
	numbered[last] = shortenName(folders[last], maxName-numberLength) + fmt.Sprintf(" (%d)", i)
	return numbered
}
