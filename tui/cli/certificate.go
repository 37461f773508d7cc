package cli

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"flightdesk/config/atomicfile"
)

// readCertificate reads a certificate and its key from PEM files.
func readCertificate(certFile, keyFile string) (pair tls.Certificate, err error) {
	cert, err := atomicfile.ReadSettings(certFile)
	if err != nil {
		return pair, err
	}
	key, err := atomicfile.ReadSettings(keyFile)
	if err != nil {
		return pair, err
	}
	return tls.X509KeyPair(cert, key)
}

// certificateFiles are the files with the certificate of the service and its key. The certificate is loaded
// again when the files change.
type certificateFiles struct {
	cert, key string // paths
	log       *slog.Logger

	mu     sync.Mutex // guards the fields below
	loaded *tls.Certificate
	state  string // state of both files when they were last read
}

// load returns the certificate, and reloads it if its files have changed. If they cannot be read, it
// returns the previous certificate, or an error if there is none.
func (c *certificateFiles) load(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := fileState(c.cert) + fileState(c.key)
	if state == c.state {
		return c.loaded, nil
	}
	c.state = state
	certificate, err := readCertificate(c.cert, c.key)
	if err != nil {
		if c.loaded == nil {
			return nil, err
		}
		c.log.Warn("the certificate cannot be reloaded; the earlier one is used", "error", err)
		return c.loaded, nil
	}
	if c.loaded != nil {
		c.log.Info("the certificate was reloaded", "file", c.cert)
	}
	c.loaded = &certificate
	return c.loaded, nil
}

// fileState returns a text that changes if a file changes: its modification time and size, or the error if
// they cannot be read.
func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
}
