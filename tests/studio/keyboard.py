"""What whoever has no mouse needs of a page: parts of walks in a browser."""

UNSEEN = """(() => {
  const node = document.activeElement, box = node.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + 4, box.top + 4);
  return top && (node.contains(top) || top.contains(node)) ? "" : node.outerHTML.slice(0, 99);
})()"""


def stay_where_the_keyboard_is(visit):
    """What is drawn anew takes the focus over, and nothing that has it is under the head."""
    page = visit.go("promise")
    page.wait_for_selector("#condition-t")
    page.fill("#condition-t", "t:much")
    page.focus("#add-t")
    page.keyboard.press("Enter")
    page.wait_for_selector("#failed")
    page.wait_for_selector("#add-t:focus")
    # to be mended, not typed again
    page.wait_for_function("document.getElementById('condition-t').value == 't:much'")
    visit.complaints.clear()  # the browser's own word on the refusal
    page.focus("#add-distinct")
    page.keyboard.press("Enter")
    page.wait_for_selector("#promised .condition")
    page.wait_for_selector("#add-distinct:focus")
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(UNSEEN) == ""
    page.locator("#promised button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#promised .condition", state="detached")
    page.wait_for_selector("#promised:focus")
    page = visit.go("hierarchies")
    page.wait_for_selector("#widths")
    page.fill("#widths", "6, 12")
    page.focus("#widths")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the editor is empty while the column is looked at
    page.wait_for_selector("#widths[value='6, 12']")
    page.wait_for_selector("form:has(#widths) button:focus")
