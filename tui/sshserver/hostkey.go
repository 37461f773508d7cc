package sshserver

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"flightdesk/config/atomicfile"
)

// openHostKey reads the host key from a file. It creates the key if the file does not exist.
func openHostKey(path string) (gossh.AlgorithmSigner, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = writeHostKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	key, err := gossh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", path, err)
	}
	signer, ok := key.(gossh.AlgorithmSigner)
	if !ok {
		return nil, fmt.Errorf("host key %s: a key of this kind cannot be used", path)
	}
	return signer, nil
}

// writeHostKey creates a host key and writes it to a file. It returns the content of the file.
func writeHostKey(path string) ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := gossh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(block)
	return text, atomicfile.ReplaceFile(path, text)
}

// meteredKey is the host key for one connection. The host key signs each key exchange, so meteredKey can
// limit how often the client exchanges keys.
type meteredKey struct {
	gossh.AlgorithmSigner
	exchanges *rate.Limiter
}

var errTooManyExchanges = errors.New("too many key exchanges")

// SignWithAlgorithm signs, unless the client exchanges keys too often. An error ends the
// connection.
func (k meteredKey) SignWithAlgorithm(random io.Reader, data []byte, algorithm string) (*gossh.Signature, error) {
	if !k.exchanges.Allow() {
		return nil, errTooManyExchanges
	}
	return k.AlgorithmSigner.SignWithAlgorithm(random, data, algorithm)
}

// Sign signs like SignWithAlgorithm, with the algorithm of the key.
func (k meteredKey) Sign(random io.Reader, data []byte) (*gossh.Signature, error) {
	if !k.exchanges.Allow() {
		return nil, errTooManyExchanges
	}
	return k.AlgorithmSigner.Sign(random, data)
}
