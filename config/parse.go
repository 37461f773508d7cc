package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Paths of the addresses, from the service's specification.
const (
	publicPath = "/api/v1/public"
	legacyPath = "/api/v2"
	opsPath    = "/api/ops/v1"
)

const maxCommandTimeout = 10 * time.Minute

var profileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}$`)

func parseFile(path string, data []byte, env Env) (*Config, error) {
	doc, root, err := decodeTOML(path, data)
	if err != nil {
		return nil, err
	}
	c := &Config{Path: path, Found: true, Theme: Auto, env: env}
	c.UserThemes = root.readThemes()
	c.Keys = root.readBindings()
	c.Ways = root.readWays()
	if theme := root.readText("theme", themeName(c.UserThemes)); theme != "" {
		c.Theme = Theme(theme)
	}
	c.Glyphs = root.readText("glyphs", oneOf("character set", Glyphs))
	p := &pathResolver{home: env.Dirs.Home, base: filepath.Dir(path)}
	c.DownloadDir = env.Dirs.Downloads
	if dir := root.readText("download_dir", p.checkPath); dir != "" {
		c.DownloadDir = p.expandPath(dir)
	}
	if profiles := root.readTable("profiles"); profiles != nil {
		for _, name := range profiles.fileKeys() {
			if t := profiles.readTable(name); t != nil {
				c.Profiles = append(c.Profiles, t.readProfile(name, p))
			}
		}
	}
	c.DefaultProfile = root.readText("default_profile", func(name string) string {
		if _, known := c.Profile(name); !known {
			return fmt.Sprintf("no profile %q; %s", name, c.knownNames())
		}
		return ""
	})
	root.noteUnknown()
	if len(doc.faults) > 0 {
		doc.faults.sortByLine()
		return nil, doc.faults
	}
	return c, nil
}

func (t *tomlTable) readProfile(name string, p *pathResolver) Profile {
	if !profileName.MatchString(name) {
		t.noteFault(
			"",
			"not a valid profile name; use up to 40 letters, digits, '.', '_' and '-', not starting with '_' or '-'",
		)
	}
	profile := Profile{Name: name, ReadOnly: t.readFlag("read_only"), AllowHTTP: t.readFlag("allow_http")}
	address := func(key, path string) string {
		return t.readText(key, func(s string) string { return checkURL(s, path, profile.AllowHTTP) })
	}
	before := len(t.doc.faults)
	profile.BaseURL = address("base_url", publicPath)
	if profile.BaseURL == "" && len(t.doc.faults) == before {
		t.noteFault("base_url", "missing; set the address of the public API, which ends in %s", publicPath)
	}
	profile.LegacyBaseURL = address("legacy_base_url", legacyPath)
	profile.OpsURL = address("ops_url", opsPath)
	profile.CAFile = p.expandPath(t.readText("ca_file", p.checkPath))
	profile.Company = t.readText("company", checkCompany)
	profile.Band = t.readText("band", checkBand)
	profile.State = t.readText("state", checkState)
	profile.Ways = t.readWays()
	profile.Credential = t.readCredential("credential", p)
	profile.OpsCredential = t.readCredential("ops_credential", p)
	t.noteUnknown()
	return profile
}

func (t *tomlTable) readCredential(key string, p *pathResolver) Credential {
	sub := t.readTable(key)
	if sub == nil {
		return Credential{}
	}
	before := len(t.doc.faults)
	c := Credential{
		Keyring: sub.readText("keyring", anyText),
		Env:     sub.readText("env", checkVariable),
		Command: sub.readList("command"),
		File:    p.expandPath(sub.readText("file", p.checkPath)),
		Timeout: sub.readDuration("timeout", maxCommandTimeout),
	}
	if len(c.Command) > 0 {
		c.Command[0] = p.expandHome(c.Command[0])
	}
	sub.noteUnknown()
	if len(t.doc.faults) > before {
		return c
	}
	var sources []string
	for _, name := range []string{"keyring", "env", "command", "file"} {
		if _, set := sub.rows[name]; set {
			sources = append(sources, name)
		}
	}
	switch {
	case len(sources) == 0:
		sub.noteFault("", "missing source; use keyring, env, command or file")
	case len(sources) > 1:
		sub.noteFault("", "%d sources (%s); keep one", len(sources), strings.Join(sources, ", "))
	case c.Timeout > 0 && len(c.Command) == 0:
		sub.noteFault("timeout", "timeout applies only to command; remove it")
	}
	return c
}

func checkBand(s string) string {
	if slices.Contains([]string{"live", "test", "demo"}, s) {
		return ""
	}
	return "unknown environment; use live, test, demo"
}

func checkState(s string) string {
	if !profileName.MatchString(s) {
		return "not a valid name; use one like that of a profile"
	}
	return ""
}

func checkCompany(s string) string {
	if utf8.RuneCountInString(s) > 200 || strings.ContainsFunc(s, unicode.IsControl) {
		return "not a valid company name; use one line of up to 200 characters"
	}
	return ""
}

func anyText(string) string { return "" }

func checkVariable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '=' || r == '$' || r > '~' }) {
		return "not a variable name; write it without $, such as FLIGHTDESK_KEY"
	}
	return ""
}

// checkURL returns the problem of an address, "" if it is valid. It never quotes the
// address: people paste keys into addresses.
func checkURL(raw, path string, allowHTTP bool) string {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "not a valid address; use a URL such as https://desk.example" + path
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "the address must not have a user, query or fragment; set the key in credential"
	case !strings.HasSuffix(u.Path, path):
		return "the address must end in " + path
	case u.Scheme == "http" && !allowHTTP && !isLoopback(u.Hostname()):
		return "http sends the key unencrypted; use https, or set allow_http = true in the profile"
	}
	return ""
}

// CandidateAddresses returns the addresses of the public interface that the typed text
// can mean, the likeliest first. A host is enough, and this machine can use plain
// http.
func CandidateAddresses(typed string) []string {
	typed = strings.TrimSpace(typed)
	schemes := []string{""}
	if !strings.Contains(typed, "://") {
		schemes = []string{"https://"}
		if u, err := url.Parse("//" + typed); err == nil && isLoopback(u.Hostname()) {
			schemes = append(schemes, "http://")
		}
	}
	rest := strings.TrimRight(typed, "/")
	for _, path := range []string{publicPath, legacyPath, opsPath} {
		rest = strings.TrimSuffix(rest, path)
	}
	all := make([]string, len(schemes))
	for i, scheme := range schemes {
		all[i] = scheme + rest + publicPath
	}
	return all
}

// LegacyAddress returns the usual address of the v2 API for an address of the public
// interface: the same one with the path of the v2 API.
func LegacyAddress(baseURL string) string {
	return strings.TrimSuffix(baseURL, publicPath) + legacyPath
}

// OpsAddress returns the address of the operations API that the typed text means, ""
// for none. A host is enough.
func OpsAddress(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	all := CandidateAddresses(typed)
	return strings.TrimSuffix(all[len(all)-1], publicPath) + opsPath
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// pathResolver makes the paths of a file absolute.
type pathResolver struct{ home, base string }

func (p *pathResolver) checkPath(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "a path cannot contain control characters"
	}
	if strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/") {
		return "only ~/ is supported, not another user's home folder; use the full path"
	}
	return ""
}

// expandHome expands only a leading ~/, since the name of a program is looked up in
// PATH.
func (p *pathResolver) expandHome(s string) string {
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		return filepath.Join(p.home, rest)
	}
	return s
}

func (p *pathResolver) expandPath(s string) string {
	switch s {
	case "":
		return ""
	case "~":
		return p.home
	}
	s = p.expandHome(filepath.FromSlash(s))
	if !filepath.IsAbs(s) {
		s = filepath.Join(p.base, s)
	}
	return s
}

// Fault is one problem of a configuration file.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"` // from 1; 0 if unknown
	Key     string `json:"key,omitzero"`  // dotted path, "" for the file as a whole
	Problem string `json:"problem"`       // the problem and its fix; never a value that could be a key
}

// Error returns "file:line: key: problem".
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	b.WriteString(": " + f.Problem)
	return b.String()
}

// Faults lists all problems of a file, sorted by line. It is never empty when returned
// as an error.
type Faults []Fault

// Error returns one line: the first fault, and the number of others.
func (f Faults) Error() string {
	switch len(f) {
	case 0:
		return "no errors"
	case 1:
		return f[0].Error()
	default:
		return fmt.Sprintf("%s (%d more; run flightdesk config check)", f[0].Error(), len(f)-1)
	}
}

func (f Faults) sortByLine() {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
}
