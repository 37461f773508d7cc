package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

const (
	maxDelivered    = 2 << 30 // bytes in one delivery
	maxPackageFiles = 1000
	deliveryTimeout = 30 * time.Minute // for reading a delivery
	maxFormField    = 16 << 10         // bytes in a form field
)

// fileUploads stores the files of forms, and generates sample files.
type fileUploads struct {
	domain *domain.Service
	log    *slog.Logger
	size   int64 // approximate size of each type of generated file in bytes; 0 is a few tens of kilobytes
}

// uploadForm is a multipart body whose files are in the file store.
type uploadForm struct {
	fields map[string][]string
	files  []store.File
}

// formLimits describe what a form may contain.
type formLimits struct {
	part   string // name of the parts with files
	files  int
	fields []string
}

// storeForm reads a form and stores its files. Files are streamed to the file store and never entirely in
// memory.
func (u fileUploads) storeForm(x *exchange, limits formLimits) (*uploadForm, error) {
	f := &uploadForm{fields: map[string][]string{}}
	readPart := func(name string, part *multipart.Part, faults *formFaults) error {
		return u.readPart(x, f, limits, name, part, faults)
	}
	form := formBody{
		expected: "parts named " + limits.part,
		limit:    maxDelivered,
		tooLarge: errDeliveryTooLarge,
		timeout:  deliveryTimeout,
	}
	faults, err := x.readParts(form, readPart)
	if err != nil {
		u.discardFiles(x, f)
		return nil, err
	}
	if err := invalidRequest(faults, len(faults)); err != nil {
		u.discardFiles(x, f)
		return nil, err
	}
	x.readDone()
	return f, nil
}

var errDeliveryTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the upload is larger than %d GiB", maxDelivered>>30))

var errFieldTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("a field of the form is larger than %d KiB", maxFormField>>10))

// readPart reads a part of a form: a field or a file.
func (u fileUploads) readPart(
	x *exchange, f *uploadForm, limits formLimits, name string, part *multipart.Part, faults *formFaults,
) error {
	if slices.Contains(limits.fields, name) {
		return f.readField(name, part, limits)
	}
	if name != limits.part {
		faults.addPart(name, "is not known")
		return nil
	}
	if len(f.files) >= limits.files {
		return invalidMember(name, "has more than "+counted(limits.files, "file"))
	}
	file, fault, err := u.storePart(x, part)
	if err != nil {
		return err
	}
	if fault != "" {
		faults.add(fmt.Sprintf("%s[%d]", name, len(f.files)), fault)
	}
	f.files = append(f.files, file)
	return nil
}

// readField reads one value of a form field and adds it to f.fields. A field has one value for each
// uploaded file, so it can have up to limits.files values. readField accepts one more value, so
// that the error can say how many values and files the form has.
func (f *uploadForm) readField(name string, part *multipart.Part, limits formLimits) error {
	value, err := readAtMost(part, maxFormField, errDeliveryTooLarge, errFieldTooLarge)
	if err != nil {
		return err
	}
	f.fields[name] = append(f.fields[name], string(value))
	if len(f.fields[name]) > limits.files+1 {
		return invalidMember(name, "is given too often")
	}
	return nil
}

// storePart stores a file of a form. fault says what is wrong with the name of the file, or
// is "".
func (u fileUploads) storePart(x *exchange, part *multipart.Part) (f store.File, fault string, err error) {
	name, fault := fileName(part.Header.Get("Content-Disposition"))
	mediaType := mediaTypeOf(part.Header.Get("Content-Type"), name)
	content := &partReader{r: part}
	f, err = u.domain.Missions.StoreFile(x.r.Context(), name, mediaType, content)
	if content.err != nil {
		return f, "", bodyError(content.err, errDeliveryTooLarge)
	}
	return f, fault, err
}

// partReader remembers the error of reading a part, to distinguish it from errors of the
// file store.
type partReader struct {
	r   io.Reader
	err error
}

func (p *partReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = err
	}
	return n, err
}

// fileName returns the last element of the file name in a Content-Disposition header.
// fault says what is wrong with the name, or is "".
func fileName(disposition string) (name, fault string) {
	_, params, err := mime.ParseMediaType(disposition)
	name = params["filename"]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if err != nil || name == "" || name == "." || name == ".." {
		return "", "has no file name"
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", "has a name with invalid characters"
	}
	if utf8.RuneCountInString(name) > api.MaxNameLength {
		return "", fmt.Sprintf("has a name of more than %d characters", api.MaxNameLength)
	}
	return name, ""
}

// mediaTypeOf returns the media type that the client sent or, without one, the media type
// of the file extension.
func mediaTypeOf(sent, name string) string {
	const unknown = "application/octet-stream"
	kind, params, err := mime.ParseMediaType(sent)
	isUseful := err == nil && strings.Contains(kind, "/") && kind != unknown
	if isUseful {
		if formatted := mime.FormatMediaType(kind, params); formatted != "" {
			return formatted
		}
	}
	if mediaType, ok := mediaTypes[strings.ToLower(path.Ext(name))]; ok {
		return mediaType
	}
	return unknown
}

// mediaTypes are the media types of delivered files by extension. The table of the
// operating system is not used, because it differs between machines.
var mediaTypes = map[string]string{
	".jpg":     "image/jpeg",
	".jpeg":    "image/jpeg",
	".png":     "image/png",
	".tif":     "image/tiff",
	".tiff":    "image/tiff",
	".dng":     "image/x-adobe-dng",
	".pdf":     "application/pdf",
	".zip":     "application/zip",
	".csv":     "text/csv",
	".json":    "application/json",
	".geojson": "application/geo+json",
	".kml":     "application/vnd.google-earth.kml+xml",
	".las":     "application/vnd.las",
	".laz":     "application/vnd.laszip",
	".obj":     "model/obj",
	".glb":     "model/gltf-binary",
	".ply":     "model/ply",
	".mp4":     "video/mp4",
	".avi":     "video/vnd.avi",
	".txt":     "text/plain; charset=utf-8",
}

// discardFiles deletes the files of a form that was rejected.
func (u fileUploads) discardFiles(x *exchange, f *uploadForm) {
	if err := u.domain.Missions.DiscardFiles(context.WithoutCancel(x.r.Context()), f.files...); err != nil {
		u.log.Error("files of a rejected request remain", "request", x.id, "error", err)
	}
}

// assignKinds sets the type of each file from the field fileDataType and returns the
// validation errors.
func (f *uploadForm) assignKinds(known []api.Deliverable) []api.FieldError {
	var faults []api.FieldError
	kinds := f.fields["fileDataType"]
	if len(f.files) == 0 {
		faults = append(faults, api.FieldError{Field: "files", Message: "needs at least one file"})
	}
	if len(kinds) != len(f.files) {
		faults = append(faults, api.FieldError{
			Field:   "fileDataType",
			Message: fmt.Sprintf("must be given once per file; %d for %d files", len(kinds), len(f.files)),
		})
	}
	for i, kind := range kinds {
		if !slices.Contains(known, api.Deliverable(kind)) {
			faults = append(faults, api.FieldError{
				Field: "fileDataType[" + strconv.Itoa(i) + "]", Message: "must be one of " + listValues(known),
			})
		} else if i < len(f.files) {
			f.files[i].Kind = api.Deliverable(kind)
		}
	}
	return faults
}

// readMembers converts the fields of a form to a JSON object. A field in single becomes a member
// with one value. A field in lists becomes a member with a list of all values of the field. Missing
// fields, and empty fields in single, are left out.
func (f *uploadForm) readMembers(single, lists []string) ([]byte, []api.FieldError) {
	members := map[string]jsontext.Value{}
	var faults []api.FieldError
	addMember := func(name string, member jsontext.Value, fault string) {
		if fault != "" {
			faults = append(faults, api.FieldError{Field: name, Message: fault})
		} else if member != nil {
			members[name] = member
		}
	}
	for _, name := range single {
		member, fault := singleMember(name, f.fields[name])
		addMember(name, member, fault)
	}
	for _, name := range lists {
		member, fault := listMember(f.fields[name])
		addMember(name, member, fault)
	}
	body, err := json.Marshal(members)
	if err != nil {
		body = []byte("{}") // cannot happen: each member is valid JSON
	}
	return body, faults
}

// notUTF8 is the message of a validation error.
const notUTF8 = "is not in UTF-8"

// singleMember returns the value of a form field as JSON, or nil if the field is missing or empty.
// The JSON is a string, except for locationMap: its value must already be JSON. fault says what is
// wrong with the field, such as several values, or is "".
func singleMember(name string, values []string) (member jsontext.Value, fault string) {
	if len(values) > 1 {
		return nil, "is given more than once"
	}
	if len(values) == 0 || values[0] == "" {
		return nil, ""
	}
	if name == "locationMap" {
		member = jsontext.Value(values[0])
		if !member.IsValid() {
			return nil, "is not valid JSON"
		}
		return member, ""
	}
	member, err := json.Marshal(values[0])
	if err != nil {
		return nil, notUTF8
	}
	return member, ""
}

// listMember returns the JSON of a field that may be given several times, or nil if it is
// missing. fault says what is wrong with the field, or is "".
func listMember(values []string) (member jsontext.Value, fault string) {
	if len(values) == 0 {
		return nil, ""
	}
	member, err := json.Marshal(values)
	if err != nil {
		return nil, notUTF8
	}
	return member, ""
}
