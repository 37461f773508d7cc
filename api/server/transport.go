package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
)

// handlerTransport is a [http.RoundTripper] that calls a handler in this process.
type handlerTransport struct {
	handler http.Handler
	peer    Peer // sender of the requests; the zero value is this process
}

// inProcess is the client address of requests in this process.
const inProcess = "in-process"

// RoundTrip implements [http.RoundTripper].
func (d handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.handler == nil {
		return nil, errNotStarted
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w, err := d.callHandler(d.serverRequest(r))
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		Status:        strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.header,
		Body:          io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()),
		Request:       r,
	}, nil
}

// callHandler calls the handler and returns its answer. If the handler panics, callHandler returns
// the error of a broken connection, as net/http does.
func (d handlerTransport) callHandler(request *http.Request) (w *answerBuffer, err error) {
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	w = &answerBuffer{header: http.Header{}}
	d.handler.ServeHTTP(w, request)
	_ = request.Body.Close()
	w.WriteHeader(http.StatusOK) // unless the handler has sent a status
	return w, nil
}

// serverRequest returns a request of a client as a server receives it.
func (d handlerTransport) serverRequest(r *http.Request) *http.Request {
	ctx := r.Context()
	if d.peer.Operator != "" {
		ctx = context.WithValue(ctx, operatorKey{}, d.peer.Operator)
	}
	request := r.Clone(ctx)
	request.RequestURI = r.URL.RequestURI()
	request.RemoteAddr = d.peer.remoteAddress()
	request.Host = r.URL.Host
	if request.Body == nil {
		request.Body = http.NoBody
	}
	return request
}

// answerBuffer is a [http.ResponseWriter] that stores the answer.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerBuffer) Header() http.Header { return w.header }

// WriteHeader sets the status. Only the first call has an effect.
func (w *answerBuffer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *answerBuffer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
