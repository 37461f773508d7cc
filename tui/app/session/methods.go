package session

import (
	"context"
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// MethodFile stores which HTTP methods the service of a profile accepts for its operations, such as PUT
// instead of POST. It has only operations for which the first method that the client tried was not
// accepted.
type MethodFile struct{ path string }

// OpenMethodFile returns the methods stored in a file. The file need not exist.
func OpenMethodFile(path string) *MethodFile { return &MethodFile{path} }

// Load returns the HTTP methods by operation. It returns nil if the file is unreadable; the client then
// finds out the methods again.
func (f *MethodFile) Load() map[string]string {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil
	}
	return decodeMethods(data)
}

func decodeMethods(data []byte) map[string]string {
	methods := map[string]string{}
	if json.Unmarshal(data, &methods) != nil || methods == nil {
		return map[string]string{}
	}
	return methods
}

// Save adds the method of an operation to the file.
func (f *MethodFile) Save(operation, method string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	err := atomicfile.UpdateFile(ctx, f.path, func(old []byte) ([]byte, error) {
		methods := decodeMethods(old)
		methods[operation] = method
		data, err := json.Marshal(methods, json.Deterministic(true), jsontext.WithIndent("\t"))
		return append(data, '\n'), err
	})
	if err != nil {
		return fmt.Errorf("save the methods of the service: %w", err)
	}
	return nil
}

// Option returns a client option that uses the stored methods and saves every method that the client finds
// out. Errors of saving are ignored, because a later client can find out the method again.
func (f *MethodFile) Option() api.Option {
	return api.WithMethods(f.Load(), func(operation, method string) { _ = f.Save(operation, method) })
}
