package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

const (
	maxDelivered    = 2 << 30 // bytes in one delivery
	maxPackageFiles = 1000
	deliveryTimeout = 30 * time.Minute // for reading a delivery
	maxFormField    = 16 << 10         // bytes in a form field
)

// operatorBody is the request body that assigns a drone operator.
type operatorBody struct {
	OperatorName string `json:"operatorName" check:"required,name"`
}

func (h *operationsHandlers) assignOperator(x *exchange, m store.Mission, in *operatorBody) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.AssignOperator(x.r.Context(), m.UUID, in.OperatorName)
	return answerWith(in.OperatorName+" assigned to "+m.Code, wireMission(o, m), err)
}

func (h *operationsHandlers) scheduleFlight(
	x *exchange, m store.Mission, in *ops.FlightInput,
) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.Schedule(x.r.Context(), m.UUID, *in)
	return answerWith(m.Code+" is scheduled", wireMission(o, m), err)
}

func (h *operationsHandlers) acceptDelivery(x *exchange, m store.Mission, _ *noBody) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.AcceptDelivery(x.r.Context(), m.UUID)
	return answerWith(m.Code+" is completed", wireMission(o, m), err)
}

func (h *operationsHandlers) deliverFiles(x *exchange) (handlerAnswer, error) {
	o, m, err := h.domain.Missions.Find(x.r.Context(), nil, x.uuid())
	if err != nil {
		return handlerAnswer{}, err
	}
	files, err := h.storeDelivery(x, o, m)
	if err != nil {
		return handlerAnswer{}, err
	}
	m, p, err := h.domain.Missions.Deliver(x.r.Context(), m.UUID, files)
	if err != nil {
		h.uploads.discardFiles(x, &uploadForm{files: files})
		return handlerAnswer{}, err
	}
	return handlerAnswer{
		status:  http.StatusCreated,
		message: counted(p.FileCount, "file") + " of " + m.Code + " delivered",
		data:    wirePackage(m, p),
	}, nil
}

// storeDelivery stores the files of a delivery, either uploaded or sample files, and
// returns their records.
func (h *operationsHandlers) storeDelivery(x *exchange, o store.Order, m store.Mission) ([]store.File, error) {
	if !x.isForm() {
		return h.generateDelivery(x, o, m)
	}
	form, err := h.uploads.readForm(x, formLimits{
		part:   "files",
		files:  maxPackageFiles,
		fields: []string{"fileDataType"},
	})
	if err != nil {
		return nil, err
	}
	faults := form.assignKinds(append(api.Deliverables(), api.DeliverableElevationMap))
	if len(faults) > 0 {
		h.uploads.discardFiles(x, form)
		return nil, invalidRequest(faults, len(faults))
	}
	return form.files, nil
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

// permissionBody is the request body that records a flight permission.
type permissionBody struct{ ops.PermissionInput }

func (b *permissionBody) checkMembers(r *bodyReader) {
	r.checkPeriod(b.ValidFrom, b.ValidTo, "validTo", "validFrom")
}

func (h *operationsHandlers) recordPermission(x *exchange, m store.Mission) (handlerAnswer, error) {
	in, form, err := h.readPermission(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	var permit *store.File
	if len(form.files) == 1 {
		permit = &form.files[0]
	}
	m, p, err := h.domain.Missions.SetPermission(x.r.Context(), m.UUID, in.PermissionInput, permit)
	if err != nil {
		h.uploads.discardFiles(x, form)
		return handlerAnswer{}, err
	}
	return handlerAnswer{
		message: "flight permission of " + m.Code + " recorded",
		data:    h.wirePermission(x, m, p, permit),
	}, nil
}

// readPermission reads a flight permission, as JSON or as a form that may contain the
// permit as a file. The fields of the form are validated like the members of the JSON
// object.
func (h *operationsHandlers) readPermission(x *exchange) (in permissionBody, form *uploadForm, err error) {
	kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		err = x.readInto(&in)
		return in, &uploadForm{}, err
	}
	names := []string{"status", "authority", "reference", "validFrom", "validTo"}
	form, err = h.uploads.readForm(x, formLimits{
		part:   "permit",
		files:  1,
		fields: names,
	})
	if err != nil {
		return in, nil, err
	}
	body, faults := form.readMembers(names, nil)
	if err := readJSON(body, x.now(), faults, &in); err != nil {
		h.uploads.discardFiles(x, form)
		return in, nil, err
	}
	return in, form, nil
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

// fileUploads stores the files of forms, and generates sample files.
type fileUploads struct {
	domain *domain.Service
	log    *slog.Logger
	size   int64 // approximate size of each type of generated file in bytes; 0 is a few tens of kilobytes
}

// discardFiles deletes the files of a form that was rejected.
func (u fileUploads) discardFiles(x *exchange, f *uploadForm) {
	if err := u.domain.Missions.DiscardFiles(context.WithoutCancel(x.r.Context()), f.files...); err != nil {
		u.log.Error("files of a rejected request remain", "request", x.id, "error", err)
	}
}

// readForm reads a form. Files are streamed to the file store and never entirely in
// memory.
func (u fileUploads) readForm(x *exchange, limits formLimits) (*uploadForm, error) {
	f := &uploadForm{fields: map[string][]string{}}
	readPart := func(name string, part *multipart.Part, faults *formFaults) error {
		return u.readPart(x, f, limits, name, part, faults)
	}
	faults, err := x.readForm("parts named "+limits.part, maxDelivered, errDeliveryTooLarge, deliveryTimeout, readPart)
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

// readField reads a value of a field. A field may have one value for each file; one more is
// accepted, so that the validation error can state the numbers of values and files.
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

// listNotices answers with the log of the notices of an order.
func (h *operationsHandlers) listNotices(x *exchange, o store.Order) (handlerAnswer, error) {
	wire := func(n store.Notice) ops.CompletionNotice { return wireNotice(o.UUID, o.Code, n) }
	list := shownList{
		"ops/notices/" + o.UUID,
		api.DefaultPageLimit,
		"notifications of " + o.Code + ", newest first",
	}
	return answerList(h.handlerBase, x, list, o.ID, wire)
}

// listAccountNotices answers with the notices of the orders of an account.
func (h *operationsHandlers) listAccountNotices(x *exchange, a store.Account) (handlerAnswer, error) {
	onlyFailed, err := readFlag(x.r.URL.Query(), "failed", false)
	if err != nil {
		return handlerAnswer{}, err
	}
	list := shownList{
		fmt.Sprintf("ops/notices/%s/%t", a.UUID, onlyFailed),
		api.DefaultPageLimit,
		"notifications of orders of " + a.CompanyName + ", newest first",
	}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.NoticeOfOrder], error) {
		return h.domain.Callbacks.Notices(ctx, a.ID, onlyFailed, w)
	}
	wire := func(n store.NoticeOfOrder) ops.CompletionNotice {
		return wireNotice(n.OrderUUID, n.OrderCode, n.Notice)
	}
	return answerPage(h.handlerBase, x, list, read, wire)
}

func (h *operationsHandlers) resendNotice(x *exchange, n store.Notice, _ *noBody) (handlerAnswer, error) {
	o, n, err := h.domain.Callbacks.ResendNotice(x.r.Context(), n.UUID)
	return answerWith("resending the notification", wireNotice(o.UUID, o.Code, n), err)
}

func wireNotice(orderUUID, orderCode string, n store.Notice) ops.CompletionNotice {
	wire := ops.CompletionNotice{
		UUID:         n.UUID,
		OrderUID:     orderUUID,
		OrderCode:    orderCode,
		Channel:      n.Kind,
		Address:      n.Address,
		Success:      n.Success,
		ResponseCode: n.ResponseCode,
		Attempts:     n.Attempts,
		Error:        n.Error,
		CreatedAt:    api.TimeOf(n.Created.UTC()),
		History:      slices.Clone(n.Tries),
	}
	for i := range wire.History {
		wire.History[i].Body = n.Body
	}
	return wire
}

func (h *operationsHandlers) listOrders(x *exchange) (handlerAnswer, error) {
	filter, name, err := h.orderFilter(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	list := shownList{"ops/orders/" + name, api.DefaultPageLimit, "orders of all accounts, newest first"}
	wire := func(o store.OwnedOrder) ops.Order {
		return ops.Order{
			Order:      listedOrder(o.Order),
			AccountUID: o.AccountUUID,
			OpenQuotes: &o.OpenQuotes,
		}
	}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.OwnedOrder], error) {
		return h.domain.Orders.OfAllAccounts(ctx, filter, w)
	}
	return answerPage(h.handlerBase, x, list, read, wire)
}

// orderFilter reads the query parameters account and status. name identifies the filtered
// list in cursors.
func (h *operationsHandlers) orderFilter(x *exchange) (f store.OrderFilter, name string, err error) {
	q := x.r.URL.Query() // errors in the query are reported by readWindow
	if uuid := q.Get("account"); uuid != "" {
		account, err := h.domain.Accounts.Find(x.r.Context(), uuid)
		if err != nil {
			return f, "", err
		}
		f.AccountID = account.ID
	}
	f.Status = api.OrderStatus(q.Get("status"))
	if f.Status != "" && !slices.Contains(api.OrderStatuses(), f.Status) {
		return f, "", invalidMember("status", "must be one of "+listValues(api.OrderStatuses()))
	}
	return f, q.Get("account") + "/" + string(f.Status), nil
}

func (h *operationsHandlers) getOrder(x *exchange) (handlerAnswer, error) {
	d, err := h.domain.Orders.Detail(x.r.Context(), x.uuid())
	if err != nil {
		return handlerAnswer{}, err
	}
	account := wireAccount(d.Account)
	wire := ops.Order{
		Order:      wireOrder(d.Order),
		AccountUID: account.UUID,
		Account:    &account,
		Missions:   make([]ops.Mission, len(d.Missions)),
		Quotes:     []ops.Quote{},
	}
	for i, m := range d.Missions {
		wire.Missions[i] = h.missionDetail(x, d, m)
	}
	for _, q := range slices.Backward(d.Extras.Quotes) {
		wire.Quotes = append(wire.Quotes, wireOpsQuote(q, quoteStatus(d.Order, q)))
	}
	wire.Details = d.Extras.Details
	wire.Notifications = wireNotify(d.Extras.Notify)
	return handlerAnswer{message: "order " + d.Order.Code, data: wire}, nil
}

// missionDetail returns a mission with all its details.
func (h *operationsHandlers) missionDetail(x *exchange, d store.OrderDetail, m store.Mission) ops.Mission {
	wire := ops.Mission{Mission: wireMission(d.Order, m)}
	for _, p := range d.Planning[m.ID] {
		wire.Planning = append(wire.Planning, wirePlanning(p))
	}
	for _, p := range d.Packages[m.ID] {
		wire.Packages = append(wire.Packages, wirePackage(m, p))
	}
	if p, ok := d.Permissions[m.ID]; ok {
		var permit *store.File
		if p.PermitID != nil {
			f := d.Permits[*p.PermitID]
			permit = &f
		}
		permission := h.wirePermission(x, m, p, permit)
		wire.FlightPermission = &permission
	}
	return wire
}

// quoteBody is the request body that issues a quote.
type quoteBody struct{ ops.QuoteInput }

func (b *quoteBody) checkMembers(r *bodyReader) { r.checkFuture("expiryDate", b.ExpiryDate) }

func (h *operationsHandlers) issueQuote(x *exchange, o store.Order, in *quoteBody) (handlerAnswer, error) {
	q, err := h.domain.Quotes.Issue(x.r.Context(), o.UUID, in.QuoteInput)
	return answerCreated("quote issued", wireOpsQuote(q, q.Status), err)
}

func wireOpsQuote(q store.Quote, status api.QuoteStatus) ops.Quote {
	return ops.Quote{
		Quote:     wireQuote(q),
		UUID:      q.UUID,
		Status:    status,
		CreatedAt: api.TimeOf(q.Created.UTC()),
		DecidedAt: api.TimeOf(q.Decided.UTC()),
	}
}

func (h *operationsHandlers) setDetails(x *exchange, o store.Order, in *api.RecordDetails) (handlerAnswer, error) {
	err := h.domain.Orders.SetDetails(x.r.Context(), o.UUID, *in)
	return answerWith("details set", *in, err)
}

func (h *operationsHandlers) setNotifications(
	x *exchange, o store.Order, in *ops.NotificationInput,
) (handlerAnswer, error) {
	secret, err := h.domain.Orders.SetNotifications(x.r.Context(), o.UUID, in.Webhook, in.Email)
	set := ops.NotificationSettings{
		Webhook: in.Webhook,
		Email:   in.Email,
		Secret:  secret,
	}
	return answerWith("notifications set", set, err)
}
