package config

import (
	"crypto/x509"
	"fmt"
	"path/filepath"
)

// maxCABytes limits the size of a CA file; the platforms' bundles are several times smaller.
const maxCABytes = 4 << 20

// CAs returns the certificate authorities of the platform and of the profile's ca_file. It returns
// nil if the profile has no ca_file.
func (p Profile) CAs() (*x509.CertPool, error) {
	pool, err := LoadCAs(p.CAFile)
	if err != nil {
		return nil, fmt.Errorf("profile %s: ca_file: %w", p.Name, err)
	}
	return pool, nil
}

// LoadCAs returns the certificate authorities of the platform and of a file. It returns nil if the
// path is empty.
func LoadCAs(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	data, err := readFile(path, maxCABytes, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("no PEM certificate in %s", filepath.Base(path))
	}
	return pool, nil
}
