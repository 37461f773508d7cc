package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// newRequest returns the request of an operation, with the API key.
func (c *Connection) newRequest(ctx context.Context, op Operation) (*http.Request, error) {
	target, err := c.targetOf(op)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, op.method, target.String(), bytes.NewReader(op.body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	if !op.repeat {
		// With GetBody, net/http repeats a request with an Idempotency-Key on its own after a broken
		// keep-alive connection.
		req.GetBody = nil
	}
	if op.upload != nil {
		if err := streamUpload(req, op.upload); err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
	}
	for name, values := range op.header {
		req.Header[name] = values
	}
	if op.body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	c.setKey(req, op.legacy)
	return req, nil
}

// streamUpload makes the files of an upload the body of a request.
func streamUpload(req *http.Request, upload *formUpload) error {
	stream, err := upload.openStream()
	if err != nil {
		return err
	}
	req.Body = stream
	req.ContentLength = -1
	req.GetBody = nil // it would return the empty body that the request was created with
	return nil
}

// targetOf returns the URL of an operation in the public API or the v2 API.
func (c *Connection) targetOf(op Operation) (*url.URL, error) {
	for _, part := range op.path {
		if part == "" || part == "." || part == ".." {
			return nil, fmt.Errorf("%s: %q cannot be part of an address", op.name, part)
		}
	}
	base := c.base
	if op.legacy {
		if c.legacy == nil {
			return nil, fmt.Errorf("%s: %w", op.name, ErrNoLegacy)
		}
		base = c.legacy
	}
	target := base.JoinPath(escapeAll(op.path)...)
	target.RawQuery = op.query.Encode()
	return target, nil
}

// setKey sets the API key in the Authorization header, or in X-Api-Key if the v2 API rejected the
// Authorization header.
func (c *Connection) setKey(req *http.Request, legacy bool) {
	if c.key == "" {
		return
	}
	if legacy && c.needsAPIKeyHeader.Load() {
		req.Header.Set("X-Api-Key", c.key)
	} else {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
}

func escapeAll(parts []string) []string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return escaped
}
