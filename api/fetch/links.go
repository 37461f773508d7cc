package fetch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"time"

	"flightdesk/api"
)

// Record returns the delivery files of an order record of the v2 API. The record only has links:
// sizes are -1 until [Queue.Probe] or the download gets them from the server.
func Record(ctx context.Context, c *api.Client, id string) (Package, error) {
	listedAt := time.Now()
	r, err := c.Records.Get(ctx, id)
	if err != nil {
		return Package{}, err
	}
	return RecordPackage(c, r, listedAt), nil
}

// RecordPackage is [Record] for a record that was read before. listedAt is the time of the local clock
// when the record was requested.
func RecordPackage(c *api.Client, r *api.OrderRecord, listedAt time.Time) Package {
	id := cmp.Or(r.ID, r.OrderCode)
	code := cmp.Or(r.OrderCode, r.ID)
	return Package{
		PackageInfo: PackageInfo{
			ID:    r.ID,
			Kind:  "order",
			Name:  r.OrderName,
			Order: code,
		},
		Service: c.BaseURL(),
		Folder:  []string{cmp.Or(code, "order"), "record"},
		Files:   filesOfLinks(r.DeliveryFiles, listedAt),
		List: func(ctx context.Context) ([]File, error) {
			listedAt := time.Now()
			again, err := c.Records.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			return filesOfLinks(again.DeliveryFiles, listedAt), nil
		},
	}
}

// Dataset returns the files of a purchased dataset. Like [Record], it does not know their sizes.
func Dataset(ctx context.Context, c *api.Client, id string) (Package, error) {
	d, files, err := datasetFiles(ctx, c, id)
	if err != nil {
		return Package{}, err
	}
	p := DatasetPackage(d)
	p.Service = c.BaseURL()
	p.Files = files
	p.List = func(ctx context.Context) ([]File, error) {
		_, files, err := datasetFiles(ctx, c, id)
		return files, err
	}
	return p, nil
}

// DatasetPackage returns the package of a dataset. The package has no files yet.
func DatasetPackage(d *api.Dataset) Package {
	return Package{
		PackageInfo: PackageInfo{
			ID:   d.ID,
			Kind: "dataset",
			Name: d.DatasetName,
		},
		Folder: []string{"library", cmp.Or(folderTitle(d.DatasetName), d.ID, "dataset")},
	}
}

// datasetFiles lists all files of a dataset. It needs several calls, because one response has only
// the photos, or only the files of some products.
func datasetFiles(ctx context.Context, c *api.Client, id string) (*api.Dataset, []File, error) {
	listedAt := time.Now()
	d, err := c.Library.Get(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	files := filesOfLinks(d.DeliveryFiles, listedAt)
	for products := range slices.Chunk(api.DeliveryProducts(), api.MaxLibraryFilters) {
		filtered, err := c.Library.Get(ctx, id, products...)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range filesOfLinks(filtered.DeliveryFiles, listedAt) {
			isListed := slices.ContainsFunc(files, func(other File) bool { return other.ID == f.ID })
			if !isListed {
				files = append(files, f)
			}
		}
	}
	return d, files, nil
}

// filesOfLinks returns a file for each link. The ID of a file consists of its product and name,
// which stay the same when the links are renewed. If several files have the same product and name,
// a number is added to the ID.
func filesOfLinks(links *api.DeliveryFiles, listedAt time.Time) []File {
	if links == nil {
		return nil
	}
	var files []File
	count := map[string]int{} // files by product and name
	for _, link := range sortedLinks(links) {
		name := linkName(link.address)
		productAndName := string(link.product) + "/" + name
		count[productAndName]++
		id := productAndName
		if number := count[productAndName]; number > 1 {
			id += "#" + strconv.Itoa(number)
		}
		files = append(files, File{
			ID:      id,
			Name:    name,
			Product: link.product,
			Size:    -1,
			URL:     link.address,
			Listed:  listedAt,
		})
	}
	return files
}

// productLink is a link to a file of a product.
type productLink struct {
	product api.Deliverable // "" if the service does not say which product it is
	address string
}

// sortedLinks returns the links of photos, then the links of each other product in the order of their names, and
// then the links without a product. Links that were renewed have the same order.
func sortedLinks(links *api.DeliveryFiles) []productLink {
	var all []productLink
	for _, address := range links.BaseFiles {
		all = append(all, productLink{api.DeliverableJPG, address})
	}
	for _, product := range slices.Sorted(maps.Keys(links.ProcessedData)) {
		for _, address := range links.ProcessedData[product] {
			all = append(all, productLink{product, address})
		}
	}
	for _, address := range links.Links {
		all = append(all, productLink{"", address})
	}
	return all
}

// linkName returns the last element of a link's path.
func linkName(link string) string {
	u, err := url.Parse(link)
	if err != nil || path.Base(u.Path) == "/" || path.Base(u.Path) == "." {
		return "file"
	}
	return path.Base(u.Path)
}

// Probe asks the servers for the size of each file whose size is unknown, and sets it in files. A
// size stays unknown if the server does not send it. changed[i] is the modification time of
// files[i]. It is zero if it is unknown or if the size of the file was known before.
func (q *Queue) Probe(ctx context.Context, files []File) (changed []time.Time, err error) {
	changed = make([]time.Time, len(files))
	err = runParallel(len(files), func(i int) error {
		if files[i].Size >= 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, q.o.pace.stall)
		defer cancel()
		files[i].Size, changed[i] = q.probeLink(ctx, files[i].URL)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("get file sizes: %w", err)
	}
	return changed, nil
}

// probeLink requests the size and the modification time of one file. An unknown size is -1, an unknown time is zero.
func (q *Queue) probeLink(ctx context.Context, link string) (size int64, changed time.Time) {
	head, err := q.requestHead(ctx, link)
	if err != nil {
		return -1, time.Time{}
	}
	size = -1
	switch head.status {
	case http.StatusOK:
		size = head.length
	case http.StatusPartialContent:
		if sent, ok := parseContentRange(head.header.Get("Content-Range")); ok {
			size = sent.fileSize
		}
	default:
		return -1, time.Time{}
	}
	changed, _ = http.ParseTime(head.header.Get("Last-Modified"))
	return size, changed
}

// responseHead is a response without its body.
type responseHead struct {
	status int
	header http.Header
	length int64 // of the body, -1 if unknown
}

// requestHead sends a HEAD request to a link, or requests the first byte if the link only
// allows GET.
func (q *Queue) requestHead(ctx context.Context, link string) (responseHead, error) {
	head, err := q.readHead(ctx, http.MethodHead, link, http.Header{})
	if err != nil {
		return responseHead{}, err
	}
	isRefused := head.status == http.StatusForbidden || head.status == http.StatusMethodNotAllowed
	if !isRefused {
		return head, nil
	}
	return q.readHead(ctx, http.MethodGet, link, http.Header{"Range": {"bytes=0-0"}})
}

func (q *Queue) readHead(ctx context.Context, method, link string, header http.Header) (responseHead, error) {
	resp, err := q.sendRequest(ctx, method, link, header)
	if err != nil {
		return responseHead{}, err
	}
	_ = resp.Body.Close()
	return responseHead{status: resp.StatusCode, header: resp.Header, length: resp.ContentLength}, nil
}
