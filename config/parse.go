package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Paths that the addresses of the three APIs end in, from the service's specification.
const (
	publicPath = "/api/v1/public"
	legacyPath = "/api/v2"
	opsPath    = "/api/ops/v1"
)

// commonPath is the part of publicPath that people type as the address of the service.
const commonPath = "/api/v1"

const maxCommandTimeout = 10 * time.Minute

// maxProfileName is the maximum length of the name of a profile. It is not in the regular expression, because a
// limit in an expression makes compiling it slow.
const maxProfileName = 40

var profileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// isProfileName reports whether a text is a valid name of a profile.
func isProfileName(name string) bool {
	return len(name) <= maxProfileName && profileName.MatchString(name)
}

// checkState returns what is wrong with the name of a state folder, or "".
func checkState(name string) string {
	if isProfileName(name) {
		return ""
	}
	return "not a valid name; use one like that of a profile"
}

// Functions that return what is wrong with a text, or "".
var (
	checkCompany  = matching(`^\P{Cc}{0,200}$`, "not a valid company name; use one line of up to 200 characters")
	checkVariable = matching( // no space, $, = or control character
		`^[!-#%-<>-~]*$`,
		"not a variable name; write it without $, such as FLIGHTDESK_KEY",
	)
	checkColour = matching("^#[0-9a-fA-F]{6}$", `not a valid colour; use a value such as "#58c4f5"`)
)

// matching returns a check that a text matches the pattern. The pattern is compiled when the check is first used:
// compiling the pattern of checkCompany would add about 0.4 ms to every start of the program.
func matching(pattern, problem string) func(string) string {
	valid := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(s string) string {
		if valid().MatchString(s) {
			return ""
		}
		return problem
	}
}

// oneOf returns a check that a text is one of the known values. kind names the value in the error text,
// such as "theme".
func oneOf(kind string, known []string) func(string) string {
	return func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		return "unknown " + kind + "; use " + strings.Join(known, ", ")
	}
}

// parseFile parses the content of a configuration file. data is nil if the file does not exist. The error is
// [Faults]. After a syntax error it is the only fault. Otherwise parseFile reads all tables and returns all
// faults together.
func parseFile(path string, data []byte, env Env) (*Config, error) {
	root, err := decodeTOML(path, env.Dirs.Home, string(data))
	if err != nil {
		return nil, err
	}
	c := &Config{
		Path:        path,
		Found:       data != nil,
		Theme:       Auto,
		DownloadDir: env.Dirs.Downloads,
		env:         env,
		text:        string(data),
	}
	c.UserThemes = root.readThemes()
	c.Keys = root.readBindings()
	for name, t := range root.readTables("profiles") {
		c.Profiles = append(c.Profiles, t.readProfile(name))
	}
	root.readRows(c.Rows()) // sets DefaultProfile, Theme and the other fields of c that the rows point to
	c.DownloadDir = root.doc.expandPath(c.DownloadDir)
	root.addUnknownKeys()

	if faults := root.doc.faults; len(faults) > 0 {
		faults.SortByLine()
		return nil, faults
	}
	return c, nil
}

// Rows returns the keys at the top of the file, before its first table, with pointers to their values.
func (c *Config) Rows() []TableRow {
	checkProfile := func(name string) string {
		if !c.hasProfile(name) {
			return c.noProfile(name)
		}
		return ""
	}
	themes := slices.Clone(Themes)
	for _, t := range c.UserThemes {
		themes = append(themes, t.Name)
	}
	return append([]TableRow{
		{"default_profile", &c.DefaultProfile, checkProfile},
		{"theme", &c.Theme, oneOf("theme", themes)},
		{"glyphs", &c.Glyphs, oneOf("character set", Glyphs)},
		{"download_dir", &c.DownloadDir, checkPath},
	}, c.displayRows()...)
}

const wrongName = "not a valid profile name; use up to 40 letters, digits, '.', '_' and '-', not starting with '.' or '-'"

func (t *tomlTable) readProfile(name string) Profile {
	if !isProfileName(name) {
		t.addFault("", wrongName)
	}
	profile := Profile{Name: name}
	t.readRows(profile.Rows()) // sets the fields of profile
	_, hasBase := t.rows["base_url"]
	_, hasOps := t.rows["ops_url"]
	if !hasBase && !hasOps {
		t.addFault("base_url", "missing; set the address of the public API, which ends in %s", publicPath)
	}
	profile.CAFile = t.doc.expandPath(profile.CAFile)
	t.addUnknownKeys()
	return profile
}

func (t *tomlTable) readCredential(key string) (c Credential) {
	sub := t.readTable(key)
	if sub == nil {
		return c
	}
	faultsBefore := len(t.doc.faults)
	sub.readRows(c.rows())
	c.File = t.doc.expandPath(c.File)
	if len(c.Command) > 0 {
		c.Command[0] = t.doc.expandHome(c.Command[0])
	}
	sub.addUnknownKeys()
	if len(t.doc.faults) == faultsBefore {
		sub.checkSources(&c)
	}
	return c
}

// checkSources checks the table of a credential. It records a fault if the table has no source or several sources. A
// timeout is a fault unless the source is a command.
func (t *tomlTable) checkSources(c *Credential) {
	var sources []string
	for _, key := range []string{"keyring", "env", "file", "command"} {
		if _, isSet := t.rows[key]; isSet {
			sources = append(sources, key)
		}
	}
	if len(sources) == 0 {
		t.addFault("", "missing source; use keyring, env, command or file")
		return
	}
	if len(sources) > 1 {
		t.addFault("", "%d sources (%s); keep one", len(sources), strings.Join(sources, ", "))
		return
	}
	if c.Timeout != "" && len(c.Command) == 0 {
		t.addFault("timeout", "timeout applies only to command; remove it")
	}
}

func checkTimeout(s string) string {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 || d > maxCommandTimeout {
		return fmt.Sprintf(`not a valid duration; use one above 0 and up to %s, such as "20s"`, maxCommandTimeout)
	}
	return ""
}

func anyText(string) string { return "" }

// checkURL returns what is wrong with an address, or "". The text does not quote the address,
// because people paste keys into addresses.
func checkURL(raw, path string, allowHTTP bool) string {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	isHTTP := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !isHTTP || u.Hostname() == "" {
		return "not a valid address; use a URL such as https://desk.example" + path
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "the address must not have a user, query or fragment; set the key in credential"
	}
	if !strings.HasSuffix(u.Path, path) {
		return "the address must end in " + path
	}
	if u.Scheme == "http" && !allowHTTP && !isLoopback(u.Hostname()) {
		return "http sends the key unencrypted; use https, or set allow_http = true in the profile"
	}
	return ""
}

// CandidateAddresses returns the addresses of the public API that the typed text can mean, most
// likely first. The text can be a complete address or only a host name. A host name of this
// machine can also mean an address with plain http.
func CandidateAddresses(typed string) []string {
	typed = strings.TrimSpace(typed)
	base := strings.TrimRight(typed, "/")
	for _, path := range []string{publicPath, legacyPath, opsPath, commonPath} {
		base = strings.TrimSuffix(base, path)
	}
	address := base + publicPath
	if strings.Contains(typed, "://") {
		return []string{address}
	}
	if u, err := url.Parse("//" + typed); err == nil && isLoopback(u.Hostname()) {
		return []string{"https://" + address, "http://" + address}
	}
	return []string{"https://" + address}
}

// LegacyAddress returns the usual address of the v2 API for an address of the public API: the same
// address with the path of the v2 API.
func LegacyAddress(baseURL string) string {
	return strings.TrimSuffix(baseURL, publicPath) + legacyPath
}

// OpsAddress returns the address of the operations API that the typed text means, or "" for an empty
// text. The text can be a complete address or only a host name.
func OpsAddress(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	candidates := CandidateAddresses(typed)
	// A host name of this machine has two candidates, https and then http. Unlike for the public API, nobody
	// tries both. A service on this machine rarely has a certificate, so use the last one.
	address := candidates[len(candidates)-1]
	return strings.TrimSuffix(address, publicPath) + opsPath
}

func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

func checkPath(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "a path cannot contain control characters"
	}
	if strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/") {
		return "only ~/ is supported, not another user's home folder; use the full path"
	}
	return ""
}

// expandHome replaces a leading ~ by the home folder. Unlike expandPath, it does not make other names
// absolute, so that the program of a command can be looked up in PATH.
func (d *tomlDocument) expandHome(s string) string {
	if rest, ok := strings.CutPrefix(s+"/", "~/"); ok {
		return filepath.Join(d.home, rest)
	}
	return s
}

// expandPath makes a path absolute. A relative path is relative to the folder of the configuration
// file.
func (d *tomlDocument) expandPath(s string) string {
	if s == "" {
		return ""
	}
	s = d.expandHome(filepath.FromSlash(s))
	if !filepath.IsAbs(s) {
		s = filepath.Join(filepath.Dir(d.file), s)
	}
	return s
}

// Fault is one problem of a configuration file.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"` // from 1; 0 if unknown
	Key     string `json:"key,omitzero"`  // dotted path; empty for the whole file
	Problem string `json:"problem"`       // the problem and its fix; never contains a value that could be a key
}

// Error returns "file:line: key: problem", or only the problem if there is no file.
func (f Fault) Error() string {
	if f.File == "" {
		return f.Problem // the value is new and not in a file
	}
	where := f.File
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	if f.Key != "" {
		where += ": " + f.Key
	}
	return where + ": " + f.Problem
}

// Faults are all problems of a file, sorted by line. As an error it is never empty.
type Faults []Fault

// Error returns one line: the first fault and the number of further faults.
func (f Faults) Error() string {
	if len(f) == 1 {
		return f[0].Error()
	}
	return fmt.Sprintf("%v (%d more; run flightdesk config check)", f[0], len(f)-1)
}

// SortByLine sorts the faults by line.
func (f Faults) SortByLine() {
	sort.SliceStable(f, func(i, j int) bool { return f[i].Line < f[j].Line })
}
