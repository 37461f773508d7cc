package demodata

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// Permit is what the document of one of the world's flight permissions says. It is
// plainer than those of package product, since the start makes all of them.
type Permit struct {
	Reference string
	Country   string
	Site      string
	Mission   string
	Operator  string
	From, To  string // days
}

// PDF writes the permit as a document of one page.
func (p Permit) PDF() []byte {
	var page bytes.Buffer
	page.WriteString("BT /F1 20 Tf 72 760 Td (Permission to fly) Tj ET\n")
	page.WriteString("0.6 w 72 745 m 523 745 l S\n")
	y := 712
	for _, line := range [][2]string{
		{"Reference", p.Reference},
		{"Authority", "Civil aviation authority, " + p.Country},
		{"Site", p.Site},
		{"Mission", p.Mission},
		{"Remote pilot", p.Operator},
		{"Valid from", p.From},
		{"Valid to", p.To},
		{"Conditions", "Within sight of the pilot, at most 120 m above ground, not over gatherings of people."},
		{"", "This is a sample. It permits nothing."},
	} {
		fmt.Fprintf(&page, "BT /F2 11 Tf 72 %d Td (%s) Tj ET\nBT /F1 11 Tf 165 %d Td (%s) Tj ET\n", y, latinText(line[0]), y, latinText(line[1]))
		y -= 24
	}
	return pdfDocument(page.Bytes())
}

// pdfDocument puts a page's content into a PDF.
func pdfDocument(content []byte) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	places := make([]int, len(objects))
	for i, o := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// latinText writes a text in the encoding of the document's fonts; letters that
// they do not have become question marks.
func latinText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteString("\\" + string(r))
		case r >= ' ' && r <= '~' || r >= 0xa1 && r <= 0xff:
			b.WriteByte(byte(r))
		case r == '–' || r == '—':
			b.WriteByte('-')
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// keepPermits puts the documents of the world's flight permissions into the
// domain's file store.
func keepPermits(ctx context.Context, d *domain.Service, w *domain.SeedWorld) error {
	for i := range w.Orders {
		o := &w.Orders[i]
		for j := range o.Missions {
			m := &o.Missions[j]
			if m.Permission == nil || m.Permission.Status != api.PermissionGranted {
				continue
			}
			in := o.Request.Missions[j]
			content := permitOf(*m.Permission, in.Country, in.LocationLabel, in.MissionName, *m.OperatorName).PDF()
			kept, err := d.Missions.KeepFile(ctx, PermitName(*m.Permission), "application/pdf", bytes.NewReader(content))
			if err != nil {
				return err
			}
			m.Permit = &kept
		}
	}
	return nil
}

// PermitName names a permit's file.
func PermitName(p store.Permission) string {
	return "permit-" + strings.NewReplacer("/", "-").Replace(*p.Reference) + ".pdf"
}

// permitOf returns the permit of a permission that has a reference.
func permitOf(p store.Permission, country, site, mission, operator string) Permit {
	return Permit{
		Reference: *p.Reference, Country: country, Site: site, Mission: mission, Operator: operator,
		From: p.ValidFrom.Format("2 January 2006"), To: p.ValidTo.Format("2 January 2006"),
	}
}
