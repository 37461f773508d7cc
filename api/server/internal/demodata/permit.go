package demodata

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// permit is the content of the document of a flight permission.
type permit struct {
	ops.PermissionInput // Reference is not empty
	site                string
	mission             string
	operator            string
}

// name returns the file name of the document.
func (p permit) name() string {
	return "permit-" + strings.ReplaceAll(p.Reference, "/", "-") + ".pdf"
}

// pdf returns the document as a PDF of one page.
func (p permit) pdf() []byte {
	const dayLayout = "2 January 2006"
	var page bytes.Buffer
	page.WriteString("BT /F1 20 Tf 72 760 Td (Permission to fly) Tj ET\n")
	page.WriteString("0.6 w 72 745 m 523 745 l S\n")
	y := 712
	for _, line := range [][2]string{
		{"Reference", p.Reference},
		{"Authority", p.Authority},
		{"Site", p.site},
		{"Mission", p.mission},
		{"Remote pilot", p.operator},
		{"Valid from", p.ValidFrom.Format(dayLayout)},
		{"Valid to", p.ValidTo.Format(dayLayout)},
		{"Conditions", "Within sight of the pilot, at most 120 m above ground, not over gatherings of people."},
		{"", "This is a sample. It permits nothing."},
	} {
		fmt.Fprintf(&page, "BT /F2 11 Tf 72 %d Td (%s) Tj ET\n", y, latinText(line[0]))
		fmt.Fprintf(&page, "BT /F1 11 Tf 165 %d Td (%s) Tj ET\n", y, latinText(line[1]))
		y -= 24
	}
	return pdfDocument(page.Bytes())
}

// store stores the document. No permission refers to it yet.
func (p permit) store(ctx context.Context, d *domain.Service) (store.File, error) {
	return d.Missions.StoreFile(ctx, p.name(), "application/pdf", bytes.NewReader(p.pdf()))
}

// pdfDocument returns a PDF of one page with the page's content.
func pdfDocument(content []byte) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
			"/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
	}
	var pdf bytes.Buffer
	pdf.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = pdf.Len()
		fmt.Fprintf(&pdf, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}

	tableOffset := pdf.Len()
	entries := len(objects) + 1 // the first entry is for object 0, which is free
	fmt.Fprintf(&pdf, "xref\n0 %d\n0000000000 65535 f \n", entries)
	for _, offset := range offsets {
		fmt.Fprintf(&pdf, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&pdf, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", entries, tableOffset)
	return pdf.Bytes()
}

// pdfEscapes escapes the characters with a meaning in strings of a PDF.
var pdfEscapes = strings.NewReplacer("(", `\(`, ")", `\)`, `\`, `\\`, "\x1a", "?")

// latinText encodes a text for the fonts of the document. Characters that the fonts do not have
// become question marks.
func latinText(text string) string {
	latin, err := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).String(text)
	if err != nil {
		return "?" // it is not UTF-8
	}
	return pdfEscapes.Replace(latin)
}

// storePermits stores a document for each granted flight permission of the world.
func storePermits(ctx context.Context, d *domain.Service, w *domain.SeedWorld) error {
	for i := range w.Orders {
		order := &w.Orders[i]
		for j := range order.Missions {
			mission := &order.Missions[j]
			if mission.Permission == nil || mission.Permission.Status != api.PermissionGranted {
				continue
			}
			document, err := permitOf(mission, order.Request.Missions[j]).store(ctx, d)
			if err != nil {
				return err
			}
			mission.Permit = &document
		}
	}
	return nil
}

// permitOf returns the document of the permission of a mission.
func permitOf(mission *domain.PastMission, request api.MissionInput) permit {
	return permit{
		PermissionInput: ops.PermissionInput{
			Authority: civilAuthority(request.Country),
			Reference: *mission.Permission.Reference,
			ValidFrom: api.TimeOf(mission.Permission.ValidFrom),
			ValidTo:   api.TimeOf(mission.Permission.ValidTo),
		},
		site:     request.LocationLabel,
		mission:  request.MissionName,
		operator: *mission.OperatorName,
	}
}

// civilAuthority returns the name of the authority that permits flights in a country.
func civilAuthority(country string) string { return "Civil aviation authority, " + country }
