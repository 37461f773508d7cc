package config

import (
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

// The ends of the addresses, as the service's specification gives them.
const (
	publicPath = "/api/v1/public"
	legacyPath = "/api/v2"
	opsPath    = "/api/ops/v1"
)

const maxCommandTimeout = 10 * time.Minute

var profileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}$`)

func parse(path string, data []byte, env Env) (*Config, error) {
	doc, root, err := decode(path, data)
	if err != nil {
		return nil, err
	}
	c := &Config{Path: path, Found: true, Theme: Auto, env: env}
	c.UserThemes = root.themes()
	c.Keys = root.bindings()
	c.Ways = root.ways()
	if theme := root.text("theme", themeName(c.UserThemes)); theme != "" {
		c.Theme = Theme(theme)
	}
	c.Glyphs = root.text("glyphs", oneOf("character set", Glyphs))
	p := &paths{home: env.Dirs.Home, base: filepath.Dir(path)}
	c.DownloadDir = env.Dirs.Downloads
	if dir := root.text("download_dir", p.check); dir != "" {
		c.DownloadDir = p.expand(dir)
	}
	if profiles := root.table("profiles"); profiles != nil {
		for _, name := range profiles.keys() {
			if t := profiles.table(name); t != nil {
				c.Profiles = append(c.Profiles, t.profile(name, p))
			}
		}
	}
	c.DefaultProfile = root.text("default_profile", func(name string) string {
		if _, known := c.Profile(name); !known {
			return fmt.Sprintf("no profile %q; %s", name, c.known())
		}
		return ""
	})
	root.unknown()
	if len(doc.faults) > 0 {
		doc.faults.sort()
		return nil, doc.faults
	}
	return c, nil
}

func (t *table) profile(name string, p *paths) Profile {
	if !profileName.MatchString(name) {
		t.fault("", "not a valid profile name; use up to 40 letters, digits, '.', '_' and '-', not starting with '_' or '-'")
	}
	profile := Profile{Name: name, ReadOnly: t.flag("read_only"), AllowHTTP: t.flag("allow_http")}
	address := func(key, path string) string {
		return t.text(key, func(s string) string { return checkURL(s, path, profile.AllowHTTP) })
	}
	before := len(t.doc.faults)
	profile.BaseURL = address("base_url", publicPath)
	if profile.BaseURL == "" && len(t.doc.faults) == before {
		t.fault("base_url", "missing; set the address of the public API, which ends in %s", publicPath)
	}
	profile.LegacyBaseURL = address("legacy_base_url", legacyPath)
	profile.OpsURL = address("ops_url", opsPath)
	profile.CAFile = p.expand(t.text("ca_file", p.check))
	profile.Company = t.text("company", checkCompany)
	profile.Band = t.text("band", checkBand)
	profile.State = t.text("state", checkState)
	profile.Ways = t.ways()
	profile.Credential = t.credential("credential", p)
	profile.OpsCredential = t.credential("ops_credential", p)
	t.unknown()
	return profile
}

func (t *table) credential(key string, p *paths) Credential {
	sub := t.table(key)
	if sub == nil {
		return Credential{}
	}
	before := len(t.doc.faults)
	c := Credential{
		Keyring: sub.text("keyring", anyText),
		Env:     sub.text("env", checkVariable),
		Command: sub.list("command"),
		File:    p.expand(sub.text("file", p.check)),
		Timeout: sub.duration("timeout", maxCommandTimeout),
	}
	if len(c.Command) > 0 {
		c.Command[0] = p.home0(c.Command[0])
	}
	sub.unknown()
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
		sub.fault("", "missing source; use keyring, env, command or file")
	case len(sources) > 1:
		sub.fault("", "%d sources (%s); keep one", len(sources), strings.Join(sources, ", "))
	case c.Timeout > 0 && len(c.Command) == 0:
		sub.fault("timeout", "timeout applies only to command; remove it")
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

// checkURL says what is wrong with an address. It never quotes it: people
// paste keys into addresses.
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

// Addresses are those of the public interface that a typed one can mean, the
// likeliest first: a host is enough, and this machine may go without TLS.
func Addresses(typed string) []string {
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

// LegacyAddress is where the v2 API usually is: beside the public interface of an
// address that ends as such addresses do.
func LegacyAddress(baseURL string) string {
	return strings.TrimSuffix(baseURL, publicPath) + legacyPath
}

// OpsAddress is the address of the operations API that a typed one means: a host is
// enough. "" is none.
func OpsAddress(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	all := Addresses(typed)
	return strings.TrimSuffix(all[len(all)-1], publicPath) + opsPath
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// paths makes the paths of a file absolute.
type paths struct{ home, base string }

func (p *paths) check(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "a path cannot contain control characters"
	}
	if strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/") {
		return "only ~/ is supported, not another user's home folder; use the full path"
	}
	return ""
}

// home0 expands a leading ~/ only: the name of a program is looked up in PATH.
func (p *paths) home0(s string) string {
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		return filepath.Join(p.home, rest)
	}
	return s
}

func (p *paths) expand(s string) string {
	switch s {
	case "":
		return ""
	case "~":
		return p.home
	}
	s = p.home0(filepath.FromSlash(s))
	if !filepath.IsAbs(s) {
		s = filepath.Join(p.base, s)
	}
	return s
}
