package cli

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// checkFlags returns an error if flags contradict each other or a value is out of its range.
func (f *serveFlags) checkFlags() error {
	_, _, addrErr := net.SplitHostPort(f.Addr)
	return flagRules{
		{
			addrErr != nil,
			fmt.Sprintf("--addr %q is not a valid address; use host:port, such as 127.0.0.1:8080", f.Addr),
		},
		{f.Memory && f.service.server.Dir != "", "--data and --memory cannot be combined"},
		{f.isShared() && f.Memory, "--memory cannot be combined with --database or --files"},
		{
			f.service.server.Database.URL != "" && (f.service.server.Demo || f.service.server.Simulate != 0),
			"--demo and --simulate cannot be combined with --database",
		},
		{f.CopyFrom != "" && f.service.server.Database.URL == "", "--copy-from needs --database"},
		{f.service.server.OpsKey != "" && f.OpsKeyFile != "", "--ops-key and --ops-key-file cannot be combined"},
		{!isKey(f.service.server.OpsKey), "--ops-key has spaces or invalid characters"},
		{(f.TLSCert == "") != (f.TLSKey == ""), "--tls-cert and --tls-key must be used together"},
		{
			f.service.server.PublicURL != "" && !isOrigin(f.service.server.PublicURL),
			"--public-url is not a valid origin; use a URL without path, such as https://desk.example",
		},
		{
			!isRate(f.service.server.RateLimit, lowestRateLimit, math.MaxFloat64), // not infinite
			"--rate-limit must be a number of requests per second, or 0 for no limit",
		},
		{f.service.server.Drain < 0 || f.service.server.Drain > time.Hour, "--drain must be a time up to 1h, such as 5s"},
		{f.SMTPPasswordFile != "" && f.service.server.SMTP == "", "--smtp-password-file needs --smtp"},
	}.check()
}

// lowestRateLimit is the lowest value of --rate-limit except 0: a request in 1000 seconds.
const lowestRateLimit = 0.001

// setConnections parses the maximum number of database connections.
func (f *serveFlags) setConnections(text string) error {
	connections, err := strconv.Atoi(text)
	if err != nil || connections < 2 {
		return errors.New("must be a number of at least 2")
	}
	f.service.server.Database.Connections = connections
	return nil
}

// isKey reports whether a text has only visible ASCII characters, or is empty.
func isKey(key string) bool {
	isInvalid := func(r rune) bool { return r <= ' ' || r > '~' }
	return !strings.ContainsFunc(key, isInvalid)
}

// isRate reports whether a rate is in the range from lowest to highest. The rate 0, which means off, is always
// valid.
func isRate(rate, lowest, highest float64) bool {
	return rate == 0 || rate >= lowest && rate <= highest
}

// isOrigin reports whether an address is an http or https URL without a path and a query.
func isOrigin(address string) bool {
	u, err := url.Parse(address)
	return err == nil && isPlainURL(address, "http", "https") &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// readSecrets reads the key of the operations API and the password of the mail server, from
// files or variables.
func (f *serveFlags) readSecrets(getenv func(string) string) error {
	if err := f.loadOpsKey(getenv); err != nil {
		return err
	}
	return f.loadSMTPPassword()
}

// loadOpsKey sets the key of the operations API from its file, or from the variable
// FLIGHTDESK_OPS_KEY if there is neither a file nor a flag with the key.
func (f *serveFlags) loadOpsKey(getenv func(string) string) error {
	if f.OpsKeyFile != "" {
		key, err := f.readOpsKey()
		if err != nil {
			return err
		}
		f.service.server.OpsKey = key
		f.service.server.ReadOpsKey = f.readOpsKey
		return nil
	}
	if f.service.server.OpsKey != "" {
		return nil
	}
	f.service.server.OpsKey = getenv("FLIGHTDESK_OPS_KEY")
	if !isKey(f.service.server.OpsKey) {
		return errors.New("FLIGHTDESK_OPS_KEY has spaces or invalid characters")
	}
	return nil
}

// loadSMTPPassword reads the password of the mail server from its file and adds it to the address of the mail
// server. It does nothing if no flag names the file.
func (f *serveFlags) loadSMTPPassword() error {
	if f.SMTPPasswordFile == "" {
		return nil
	}
	addressWithoutPassword := f.service.server.SMTP
	f.service.server.ReadSMTP = func() (string, error) {
		password, err := readSecretFile("password of the mail server", f.SMTPPasswordFile)
		if err != nil {
			return "", err
		}
		return withPassword(addressWithoutPassword, password)
	}
	address, err := f.service.server.ReadSMTP()
	f.service.server.SMTP = address
	return err
}

// readOpsKey reads the key of the operations API from its file.
func (f *serveFlags) readOpsKey() (string, error) {
	key, err := readSecretFile("operations key", f.OpsKeyFile)
	if err != nil {
		return "", err
	}
	if !isKey(key) {
		return "", fmt.Errorf("operations key: %s has spaces or invalid characters", f.OpsKeyFile)
	}
	return key, nil
}

// readSecretFile returns the content of a file without the line break at its end. It fails if
// the file is empty. Errors begin with the name of the secret.
func readSecretFile(name, path string) (string, error) {
	content, err := atomicfile.ReadSettings(path)
	if err != nil {
		return "", prefixError(name, err)
	}
	secret := strings.TrimRight(string(content), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("%s: %s is empty", name, path)
	}
	return secret, nil
}

// withPassword adds a password to the address of a mail server. It fails if the address has no user or
// already has a password.
func withPassword(address, password string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "smtp://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.User.Username() == "" {
		return "", errors.New("the password of the mail server needs a user in --smtp, such as smtp://user@host:port")
	}
	if _, hasPassword := u.User.Password(); hasPassword {
		return "", errors.New("--smtp already has a password; remove it or the file with the password")
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String(), nil
}

// setKeepLogs parses the value of --keep-logs, a duration such as 90d. It fails if the duration
// is shorter than a day and not 0.
func (f *serveFlags) setKeepLogs(text string) error {
	duration, err := api.ParseDuration(text)
	if err != nil {
		return err
	}
	if duration != 0 && duration < 24*time.Hour {
		return errors.New("must be at least 1d")
	}
	f.service.server.KeepLogs = duration
	return nil
}

// addNetworks returns a function that parses networks separated by commas and appends them to
// a slice.
func addNetworks(networks *[]netip.Prefix) func(string) error {
	return func(text string) error {
		for network := range strings.SplitSeq(text, ",") {
			prefix, err := netip.ParsePrefix(network)
			if err != nil {
				return errors.New("use a network such as 127.0.0.0/8")
			}
			*networks = append(*networks, prefix.Masked())
		}
		return nil
	}
}
